/**
 * Writes a release to dist/release: for every target an archive and its bill of materials, Debian packages, an OCI
 * image of the system of this machine, the clients, the install script, and SHA256SUMS. `--target` (repeatable) selects
 * targets, `--out` another folder, and `--sign-key` signs the checksums.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import about from '../package.json' with { type: 'json' }
import { BuildError } from './build/build-error.ts'
import { root } from './build/root.ts'
import { readSigningKey, signBytes } from './build/sign.ts'
import { sumsOf } from './build/sums.ts'
import { hostTarget, targetNames, targetOf } from './build/targets.ts'
import { writeClients } from './clients/write-clients.ts'
import { writeReleaseArchive, type Built } from './release/archive.ts'
import { debianArchitectures, writeDebianPackage } from './release/debian.ts'
import { writeImage } from './release/image.ts'

const { values } = parseArgs({
  options: {
    target: { type: 'string', multiple: true, default: [...targetNames] },
    out: { type: 'string', default: join(root, 'dist', 'release') },
    'sign-key': { type: 'string' },
  },
})
const { version } = about
const out = resolve(values.out)
const work = mkdtempSync(join(tmpdir(), 'fieldstone-release-'))
try {
  const signingKey = values['sign-key'] === undefined ? null : readSigningKey(values['sign-key'])
  const targets = values.target.map(targetOf)
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  for (const target of targets) addTarget(target)
  copyFileSync(join(root, 'scripts', 'deploy', 'install.sh'), join(out, 'install.sh'))
  await writeClients(out)
  writeSums(signingKey)
  console.log(`${out}: Fieldstone ${version} for ${targets.length} of ${targetNames.length} targets`)
} catch (error) {
  if (!(error instanceof BuildError)) throw error
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(work, { recursive: true, force: true })
}

function addTarget({ name, file: executable }: ReturnType<typeof targetOf>): void {
  const system = name.replace(/^bun-/, '')
  const folder = join(work, system)
  const build = Bun.spawnSync(
    [process.execPath, '--no-env-file', join(root, 'scripts', 'build.ts'), '--target', name, '--out', folder],
    { cwd: root, stdout: 'inherit' },
  )
  if (build.exitCode !== 0) throw new BuildError(`The build for ${name} failed. ${build.stderr.toString().trim()}`)
  const built: Built = { folder, executable, system, version, at_s: commitTime_s() }
  writeReleaseArchive(built, out)
  renameSync(join(folder, `${executable}.cdx.json`), join(out, `fieldstone-${version}-${system}.cdx.json`))
  if (debianArchitectures[system] !== undefined) addDebianPackage(built)
  if (name === hostTarget().name && system.startsWith('linux')) writeImage(built, out)
  rmSync(folder, { recursive: true })
}

function addDebianPackage(built: Built): void {
  if (Bun.which('dpkg-deb')) writeDebianPackage(built, out)
  else console.error(`dpkg-deb is not installed, so ${built.system} has no Debian package.`)
}

function writeSums(signingKey: string | null): void {
  const file = join(out, 'SHA256SUMS')
  writeFileSync(file, sumsOf(out))
  if (signingKey === null) return
  const { signature, publicKey } = signBytes(readFileSync(file), signingKey)
  writeFileSync(`${file}.sig`, signature)
  console.log(`Signed SHA256SUMS. The line for allowed_signers: fieldstone ${publicKey}`)
}

/** The time of the commit, so that a release of the same commit has the same bytes; 0 outside a repository. */
function commitTime_s(): number {
  const { exitCode, stdout } = Bun.spawnSync(['git', 'log', '-1', '--format=%ct'], { cwd: root, stderr: 'ignore' })
  return exitCode === 0 ? Number(stdout.toString()) : 0
}
