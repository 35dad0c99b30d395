# For Nix: pkgs.callPackage ./locsync.nix { }
{ lib, stdenvNoCC, fetchurl, installShellFiles, makeWrapper, git }:

let
  archives = {
    x86_64-linux = { name = "linux_amd64"; sha256 = "${SHA256_linux_amd64}"; };
    aarch64-linux = { name = "linux_arm64"; sha256 = "${SHA256_linux_arm64}"; };
    x86_64-darwin = { name = "darwin_amd64"; sha256 = "${SHA256_darwin_amd64}"; };
    aarch64-darwin = { name = "darwin_arm64"; sha256 = "${SHA256_darwin_arm64}"; };
  };
  archive = archives.${stdenvNoCC.hostPlatform.system};
in
stdenvNoCC.mkDerivation {
  pname = "locsync";
  version = "${VERSION}";
  src = fetchurl {
    url = "https://github.com/locsync/locsync/releases/download/v${VERSION}/locsync_${VERSION}_${archive.name}.tar.gz";
    inherit (archive) sha256;
  };
  nativeBuildInputs = [ installShellFiles makeWrapper ];
  installPhase = ''
    install -D -m 0755 locsync $out/bin/locsync
    wrapProgram $out/bin/locsync --suffix PATH : ${lib.makeBinPath [ git ]}
    installShellCompletion completion/locsync.bash completion/locsync.fish --zsh completion/_locsync
    installManPage man/*.gz
  '';
  meta = {
    description = "Keep translations in sync between git repositories and a translation service";
    homepage = "https://github.com/locsync/locsync";
    license = lib.licenses.asl20;
    mainProgram = "locsync";
    platforms = builtins.attrNames archives;
  };
}
