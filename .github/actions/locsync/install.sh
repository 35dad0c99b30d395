# Puts locsync into the folder $LOCSYNC_BIN. It is for sh, on Linux, macOS and Windows. LOCSYNC_VERSION says which one:
#   source   built with Go from the folder LOCSYNC_SOURCE, or from a clone of the repository at that address
#   1.0.0    that release, or latest: downloaded with curl, verified, and unpacked with tar or unzip. LOCSYNC_RELEASES is where releases
#            are; with LOCSYNC_PUBLIC_KEY, an ssh public key, SHA256SUMS must be signed with its private key
set -eu
if [ "$LOCSYNC_VERSION" = source ]; then
  source="${LOCSYNC_SOURCE:-https://github.com/locsync/locsync}"
  if [ ! -d "$source" ]; then
    clone="$(mktemp -d)"
    trap 'rm -rf "$clone"' EXIT
    git clone --quiet --depth 1 "$source" "$clone"
    source="$clone"
  fi
  mkdir -p "$LOCSYNC_BIN"
  GOBIN="$(cd "$LOCSYNC_BIN" && pwd)" go -C "$source" install -trimpath ./cmd/locsync
  "$LOCSYNC_BIN/locsync" version
  exit 0
fi
releases="${LOCSYNC_RELEASES:-https://github.com/locsync/locsync/releases}"
from="$releases/download/v$LOCSYNC_VERSION"
if [ "$LOCSYNC_VERSION" = latest ]; then from="$releases/latest/download"; fi
case "$(uname -s)" in
  Linux) system=linux kind=tar.gz ;;
  Darwin) system=darwin kind=tar.gz ;;
  *) system=windows kind=zip ;;
esac
case "$(uname -m)" in
  x86_64 | amd64) machine=amd64 ;;
  aarch64 | arm64) machine=arm64 ;;
  *) echo "locsync: there is no release for $(uname -m); use the version source, which needs Go" >&2; exit 2 ;;
esac
download() { curl --fail --silent --show-error --location --retry 3 --output "$1" "$from/$1"; }
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
here="$(pwd)"
cd "$work"
download SHA256SUMS
if [ -n "${LOCSYNC_PUBLIC_KEY:-}" ]; then
  download SHA256SUMS.sig || { echo "locsync: the release at $from is not signed, and a public key is given" >&2; exit 1; }
  echo "release $LOCSYNC_PUBLIC_KEY" > signers
  ssh-keygen -Y verify -f signers -I release -n file -s SHA256SUMS.sig < SHA256SUMS
fi
# The checksums name the version too, so that an old release cannot be given out for another.
archive="$(sed -n "s/^[0-9a-f]*  \(locsync_.*_${system}_$machine\.$kind\)\$/\1/p" SHA256SUMS)"
if [ "$LOCSYNC_VERSION" != latest ] && [ "$archive" != "locsync_${LOCSYNC_VERSION}_${system}_$machine.$kind" ]; then
  echo "locsync: the checksums at $from are not those of version $LOCSYNC_VERSION for $system on $machine" >&2
  exit 1
fi
download "$archive"
grep "  $archive\$" SHA256SUMS > sum
if command -v sha256sum > /dev/null; then sha256sum -c sum; else shasum -a 256 -c sum; fi
if [ "$kind" = zip ]; then unzip -q "$archive"; else tar -xzf "$archive"; fi
cd "$here"
mkdir -p "$LOCSYNC_BIN"
cp "$work/${archive%."$kind"}"/locsync* "$LOCSYNC_BIN/"
"$LOCSYNC_BIN/locsync" version
