#!/bin/sh
# Installs the executable of a release for this machine, after a check of its SHA-256 sum.
#   sh install.sh <folder or URL of the release> [<folder to install to>]      default: /usr/local/bin
# With ALLOWED_SIGNERS=<file>, the signature of SHA256SUMS must also be valid (needs ssh-keygen).
set -eu
from=${1:?Usage: sh install.sh <folder or URL of the release> [<folder to install to>]}
to=${2:-/usr/local/bin}
stop() { echo "$1" >&2; exit 1; }

case $(uname -s) in
  Linux) system=linux ;;
  Darwin) system=darwin ;;
  *) stop "This script installs on Linux and macOS. For Windows, unpack the ZIP archive of the release." ;;
esac
case $(uname -m) in
  x86_64 | amd64) system=$system-x64 ;;
  aarch64 | arm64) system=$system-arm64 ;;
  *) stop "There is no executable for the processor $(uname -m)." ;;
esac
if [ "$system" = linux-x64 ] && ! grep -q avx2 /proc/cpuinfo; then system=linux-x64-baseline; fi
case $system in
  linux-*) if ls /lib/ld-musl-* >/dev/null 2>&1; then system=$system-musl; fi ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
get() {
  case $from in
    http://* | https://*)
      if command -v curl >/dev/null; then curl -fsSL -o "$work/$1" "$from/$1"; else wget -qO "$work/$1" "$from/$1"; fi ;;
    *) cp "$from/$1" "$work/$1" ;;
  esac || stop "Cannot get $1 from $from."
}

get SHA256SUMS
if [ -n "${ALLOWED_SIGNERS:-}" ]; then
  get SHA256SUMS.sig
  ssh-keygen -Y verify -f "$ALLOWED_SIGNERS" -I fieldstone -n file -s "$work/SHA256SUMS.sig" <"$work/SHA256SUMS" ||
    stop "The signature of SHA256SUMS is not valid. Nothing was installed."
fi
line=$(grep -E "  fieldstone-[0-9][^ ]*-$system\.tar\.gz\$" "$work/SHA256SUMS" | tail -n 1) ||
  stop "The release has no archive for $system."
archive=${line##* }
get "$archive"
if command -v sha256sum >/dev/null; then sum=$(sha256sum "$work/$archive"); else sum=$(shasum -a 256 "$work/$archive"); fi
[ "${sum%% *}" = "${line%% *}" ] || stop "$archive does not have the sum in SHA256SUMS. Nothing was installed."

tar -xzf "$work/$archive" -C "$work"
mkdir -p "$to"
cp "$work/${archive%.tar.gz}/fieldstone" "$to/fieldstone.new"
chmod 0755 "$to/fieldstone.new"
mv "$to/fieldstone.new" "$to/fieldstone"
echo "Installed $("$to/fieldstone" version) in $to."
