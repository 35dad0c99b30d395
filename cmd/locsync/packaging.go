//go:build packaging

package main

import (
	"archive/zip"
	"cmp"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func init() { packagingCommands = manualAndBill }

// manualAndBill are what packages are built with, see systemd/package/build.
func manualAndBill(a *app) []*cobra.Command {
	manual := &cobra.Command{
		Use:    "manual",
		Short:  "Write the manual pages into the current folder",
		Hidden: true,
		RunE: func(c *cobra.Command, _ []string) error {
			// two builds make the same pages
			seconds, err := strconv.ParseInt(cmp.Or(os.Getenv("SOURCE_DATE_EPOCH"), "0"), 10, 64)
			if err != nil {
				return misuse(fmt.Errorf("SOURCE_DATE_EPOCH: %w", err))
			}
			date := time.Unix(seconds, 0).UTC()
			manualText(c.Root())
			return errors.Join(manualPages(date), doc.GenManTree(c.Root(), &doc.GenManHeader{Section: "1",
				Source: "locsync", Manual: "locsync", Date: &date}, "."))
		},
	}
	var program string
	bill := &cobra.Command{
		Use:    "sbom",
		Short:  "Write what a program is made of to standard output, as CycloneDX",
		Hidden: true,
		RunE: func(*cobra.Command, []string) error {
			info, err := buildinfo.ReadFile(program)
			if err != nil {
				return fmt.Errorf("read what %s is made of: %w", program, err)
			}
			b := cyclonedx.NewBOM()
			b.Metadata = &cyclonedx.Metadata{Component: &cyclonedx.Component{Type: cyclonedx.ComponentTypeApplication,
				Name: "locsync", Version: version().Version}}
			components := []cyclonedx.Component{{Type: cyclonedx.ComponentTypeLibrary, Name: "std", Version: info.GoVersion,
				PackageURL: "pkg:golang/std@" + info.GoVersion[len("go"):]}}
			for _, m := range info.Deps {
				components = append(components, cyclonedx.Component{Type: cyclonedx.ComponentTypeLibrary, Name: m.Path,
					Version:    m.Version,
					PackageURL: "pkg:golang/" + m.Path + "@" + m.Version})
			}
			b.Components = &components
			return cyclonedx.NewBOMEncoder(os.Stdout, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(b)
		},
	}
	bill.Flags().StringVar(&program, "program", "", "the program's `FILE`")
	return []*cobra.Command{manual, bill, zipCommand()}
}

// zipCommand writes a folder as an archive, the same bytes from the same files: sorted, and of one time.
func zipCommand() *cobra.Command {
	var folder string
	c := &cobra.Command{
		Use:    "zip",
		Short:  "Write a folder to standard output, as an archive with that folder in it",
		Hidden: true,
		RunE: func(*cobra.Command, []string) error {
			seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
			if err != nil {
				return misuse(fmt.Errorf("SOURCE_DATE_EPOCH: %w", err))
			}
			archive, root := zip.NewWriter(os.Stdout), os.DirFS(filepath.Dir(folder))
			err = fs.WalkDir(root, filepath.Base(folder), func(name string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				data, err := fs.ReadFile(root, name)
				if err != nil {
					return err
				}
				header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Unix(seconds, 0).UTC()}
				header.SetMode(0o644)
				if strings.HasSuffix(name, ".exe") {
					header.SetMode(0o755)
				}
				w, err := archive.CreateHeader(header)
				if err != nil {
					return err
				}
				_, err = w.Write(data)
				return err
			})
			return errors.Join(err, archive.Close())
		},
	}
	c.Flags().StringVar(&folder, "folder", "", "the `FOLDER`")
	return c
}

// anotherPage is a link from one page of the manual to another.
var anotherPage = regexp.MustCompile(`\[([^\]]+)\]\(([a-z-]+)\.md[^)]*\)`)

// manualPages writes the pages of the manual: of section 7, and locsync.toml of section 5, with the example in it.
func manualPages(date time.Time) error {
	example, err := os.ReadFile(os.Getenv("LOCSYNC_EXAMPLE"))
	if err != nil {
		return fmt.Errorf("LOCSYNC_EXAMPLE names the example of a configuration: %w", err)
	}
	for _, topic := range topics() {
		name, section := "locsync-"+topic.Use, "7"
		_, body, _ := strings.Cut(topic.Long, "\n")
		if topic.Use == "configuration" {
			name, section = "locsync.toml", "5"
			body += "\n## Every key with its default\n\n```toml\n" + string(example) + "```\n"
		}
		body = anotherPage.ReplaceAllString(body, "$1 (**locsync-$2**(7))")
		body = strings.ReplaceAll(body, "locsync-configuration**(7)", "locsync.toml**(5)")
		page := fmt.Sprintf("%% %q %q %q \"locsync\" \"locsync\"\n\n# NAME\n\n%s - %s\n\n# DESCRIPTION\n%s",
			strings.ToUpper(name), section, date.Format("Jan 2006"), name, topic.Short, body)
		if err := os.WriteFile(name+"."+section, md2man.Render([]byte(page)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// manualText keeps what is indented in the help as it is in the manual: that takes more blanks.
func manualText(c *cobra.Command) {
	c.DisableAutoGenTag = true // it says when a page was made
	c.Long = strings.ReplaceAll(c.Long, "\n  ", "\n      ")
	for _, sub := range c.Commands() {
		manualText(sub)
	}
}
