import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { BuildError } from './build-error.ts'
import { lockedPackages } from './lock.ts'
import { root } from './root.ts'
import type { Target } from './targets.ts'

/**
 * Registry checksums of runtime packages that are missing in package-lock.json, because the package of Bun does not
 * list them.
 */
const pinned: Readonly<Record<string, string>> = {
  '@oven/bun-linux-x64-baseline@1.4.5':
    'sha512-s8yMwYcFnnrA178gji0gZbkE2WVDej/Ti1x770oPfihxyRxSMNhGhiAQNXV53aDeraZxksdvKV/RAdQBCd0qPA==',
  '@oven/bun-linux-x64-musl-baseline@1.4.5':
    'sha512-cWJhU8h0+MiUgpSt99sQhjxLIIosKEcKYdtKddohokUvAuN6jKOy7g7+QDTZTXtwHxz93wL3BX+L6wXVPDUH3A==',
  '@oven/bun-windows-x64-baseline@1.4.5':
    'sha512-/U3Dc74uGqE6EUqef7mPtg9KwJs7iJH4JHRMfIZIn18MrJh6Xz4gVvWDXRvzCL2j8wPlTnJVyrO4n7Qq4uM7TQ==',
}

/**
 * Returns the file of Bun's runtime for another platform, in the version of the Bun that builds. npm downloads it from
 * its configured registry. The file is verified with the pinned sha512 and cached.
 */
export async function fetchRuntime({ name, runtime }: Target): Promise<string> {
  const id = `${runtime}@${Bun.version}`
  const kept = join(
    root,
    'node_modules',
    '.cache',
    'fieldstone',
    id.replaceAll('/', '-'),
    name.includes('windows') ? 'bun.exe' : 'bun',
  )
  if (existsSync(kept)) return kept
  const integrity = integrityOf(runtime)
  if (integrity === null)
    throw new BuildError(
      `${id}, the runtime for ${name}, is not pinned. Add its integrity (\`npm view ${id} dist.integrity\`) to scripts/build/runtime.ts.`,
    )
  const folder = join(dirname(kept), '..')
  mkdirSync(folder, { recursive: true })
  const part = mkdtempSync(join(folder, 'part-'))
  try {
    const archive = await fetched(id, name, part)
    mustBe(integrity, archive, id)
    await new Bun.Archive(readFileSync(archive)).extract(part)
    mkdirSync(dirname(kept), { recursive: true })
    const file = join(part, 'package', 'bin', name.includes('windows') ? 'bun.exe' : 'bun')
    chmodSync(file, 0o755)
    renameSync(file, kept)
    return kept
  } finally {
    rmSync(part, { recursive: true, force: true })
  }
}

/** Returns the pinned sha512 of a runtime package, or null if none is pinned. */
export function integrityOf(runtime: string): string | null {
  const locked = lockedPackages()[`node_modules/${runtime}`]
  return locked?.version === Bun.version ? locked.integrity : (pinned[`${runtime}@${Bun.version}`] ?? null)
}

async function fetched(id: string, name: string, into: string): Promise<string> {
  const npm = Bun.spawn(
    ['npm', 'pack', id, '--pack-destination', into, '--loglevel=error', '--fetch-retries=1', '--fetch-timeout=60000'],
    { cwd: root, stdout: 'ignore', stderr: 'pipe' },
  )
  const output = await new Response(npm.stderr).text()
  const archive = readdirSync(into).find((file) => file.endsWith('.tgz'))
  if ((await npm.exited) === 0 && archive !== undefined) return join(into, archive)
  const reason =
    output
      .split('\n')
      .map((line) => line.replace(/^npm (error|ERR!) ?/, '').trim())
      .find((line) => line !== '' && !/^(code|errno|syscall) /.test(line)) ?? 'npm gave no reason'
  throw new BuildError(
    `For ${name} the runtime ${id} is needed, and npm could not fetch it (${reason}). Try again with a network or a registry that has it: it is fetched once and kept. A build for this machine needs none.`,
  )
}

function mustBe(integrity: string, archive: string, id: string): void {
  const found = `sha512-${new Bun.CryptoHasher('sha512').update(readFileSync(archive)).digest('base64')}`
  if (found !== integrity)
    throw new BuildError(
      `${id} has the wrong checksum: its sha512 is ${found}, expected ${integrity}. The file was deleted.`,
    )
}
