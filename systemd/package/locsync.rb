# The formula for Homebrew. systemd/package/build fills in the variables; the result belongs into a tap, as Formula/locsync.rb.
class Locsync < Formula
  desc "Keep translations in sync between git repositories and a translation service"
  homepage "https://github.com/locsync/locsync"
  version "${VERSION}"
  license "Apache-2.0"

  depends_on "git"

  on_macos do
    on_arm do
      url "https://github.com/locsync/locsync/releases/download/v${VERSION}/locsync_${VERSION}_darwin_arm64.tar.gz"
      sha256 "${SHA256_darwin_arm64}"
    end
    on_intel do
      url "https://github.com/locsync/locsync/releases/download/v${VERSION}/locsync_${VERSION}_darwin_amd64.tar.gz"
      sha256 "${SHA256_darwin_amd64}"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/locsync/locsync/releases/download/v${VERSION}/locsync_${VERSION}_linux_arm64.tar.gz"
      sha256 "${SHA256_linux_arm64}"
    end
    on_intel do
      url "https://github.com/locsync/locsync/releases/download/v${VERSION}/locsync_${VERSION}_linux_amd64.tar.gz"
      sha256 "${SHA256_linux_amd64}"
    end
  end

  def install
    bin.install "locsync"
    man1.install Dir["man/*.1.gz"]
    man5.install Dir["man/*.5.gz"]
    man7.install Dir["man/*.7.gz"]
    bash_completion.install "completion/locsync.bash" => "locsync"
    zsh_completion.install "completion/_locsync"
    fish_completion.install "completion/locsync.fish"
    pkgshare.install "config.example.toml"
  end

  test do
    assert_match "locsync #{version}", shell_output("#{bin}/locsync version")
  end
end
