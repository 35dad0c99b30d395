//go:build packaging

package main

import (
	"cmp"
	"debug/buildinfo"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// packagingCommands are what packages are built with, see systemd/package/build. The program that people get has them
// not.
func packagingCommands(a *app) []*cobra.Command {
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
			return doc.GenManTree(c.Root(), &doc.GenManHeader{Section: "1", Source: "locsync", Manual: "locsync",
				Date: &date}, ".")
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
	return []*cobra.Command{manual, bill}
}

// manualText has what is indented in the help stand in the manual as it is: there that takes more blanks.
func manualText(c *cobra.Command) {
	c.DisableAutoGenTag = true // it says when a page was made
	c.Long = strings.ReplaceAll(c.Long, "\n  ", "\n      ")
	for _, sub := range c.Commands() {
		manualText(sub)
	}
}
