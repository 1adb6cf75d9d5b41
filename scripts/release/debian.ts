import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { BuildError } from '../build/build-error.ts'
import { root } from '../build/root.ts'
import type { Built } from './archive.ts'

/** The architectures of Debian that have a package, by the name of the system. */
export const debianArchitectures: Readonly<Record<string, string>> = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' }

const deploy = join(root, 'scripts', 'deploy')

/** Writes the Debian package of a target with dpkg-deb: the executable, the unit, its settings, and a system user. */
export function writeDebianPackage(built: Built, into: string): void {
  const architecture = debianArchitectures[built.system]!
  const tree = mkdtempSync(join(tmpdir(), 'fieldstone-deb-'))
  chmodSync(tree, 0o755)
  try {
    layOut(built, tree, architecture)
    const { exitCode, stderr } = Bun.spawnSync(
      [
        'dpkg-deb',
        '--root-owner-group',
        '-Zgzip',
        '--build',
        tree,
        join(into, `fieldstone_${built.version}_${architecture}.deb`),
      ],
      { env: { ...process.env, SOURCE_DATE_EPOCH: String(built.at_s) }, stdout: 'ignore' },
    )
    if (exitCode !== 0) throw new BuildError(`dpkg-deb could not build the package: ${stderr.toString().trim()}`)
  } finally {
    rmSync(tree, { recursive: true, force: true })
  }
}

function layOut({ folder, executable, version }: Built, tree: string, architecture: string): void {
  const put = (path: string, content: string | Uint8Array, mode = 0o644) => {
    mkdirSync(dirname(join(tree, path)), { recursive: true, mode: 0o755 })
    writeFileSync(join(tree, path), content)
    chmodSync(join(tree, path), mode)
  }
  put('DEBIAN/control', controlOf(version, architecture))
  put('DEBIAN/conffiles', '/etc/fieldstone/environment\n')
  for (const script of ['postinst', 'prerm', 'postrm'])
    put(`DEBIAN/${script}`, readFileSync(join(deploy, 'debian', script)), 0o755)
  mkdirSync(join(tree, 'usr', 'bin'), { recursive: true, mode: 0o755 })
  copyFileSync(join(folder, executable), join(tree, 'usr', 'bin', 'fieldstone'))
  chmodSync(join(tree, 'usr', 'bin', 'fieldstone'), 0o755)
  put('lib/systemd/system/fieldstone.service', packagedUnit(readFileSync(join(deploy, 'fieldstone.service'), 'utf8')))
  put('etc/fieldstone/environment', readFileSync(join(deploy, 'environment')), 0o600)
  put('usr/share/man/man1/fieldstone.1.gz', gzipSync(readFileSync(join(folder, 'fieldstone.1'))))
  put('usr/share/doc/fieldstone/copyright', readFileSync(join(root, 'LICENSE')))
  put('usr/share/doc/fieldstone/THIRD-PARTY-NOTICES.txt', readFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt')))
}

/** The unit with the paths and the user of the package. */
function packagedUnit(unit: string): string {
  return unit
    .replaceAll('/usr/local/bin', '/usr/bin')
    .replace('/etc/systemd/system/', '/lib/systemd/system/')
    .replace(/^DynamicUser=yes$/m, 'User=fieldstone\nGroup=fieldstone')
}

function controlOf(version: string, architecture: string): string {
  return `Package: fieldstone
Version: ${version}
Architecture: ${architecture}
Maintainer: The Fieldstone authors <fieldstone@localhost>
Section: science
Priority: optional
Depends: libc6, passwd
Description: what is true of this place, for any US coordinate or address
 One server that answers hundreds of named fields for a place, each with its
 source and date, from embedded data, local packs and the publishers' services.
`
}
