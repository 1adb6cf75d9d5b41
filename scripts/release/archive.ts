import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { zipSync } from 'fflate'
import { root } from '../build/root.ts'
import { tarOf, type TarMember } from './tar.ts'

/** What one build wrote: the folder, the file of the executable, and the name of the system (`linux-x64`). */
export type Built = { folder: string; executable: string; system: string; version: string; at_s: number }

/** Writes the archive of a target: the executable with its notices, manual page and files for an installation. */
export function writeReleaseArchive(built: Built, into: string): void {
  const { system, version, at_s } = built
  const name = `fieldstone-${version}-${system}`
  const members = membersOf(built).map((member) => ({ ...member, name: `${name}/${member.name}` }))
  if (!system.startsWith('windows')) {
    const archive = tarOf([{ name, mode: 0o755 }, ...members], at_s)
    writeFileSync(join(into, `${name}.tar.gz`), gzipSync(archive))
    return
  }
  const files = Object.fromEntries(members.map((it) => [it.name, it.content]))
  // The ZIP format has no time before 1980, and no time zone: the UTC time is written as the local one.
  const at = new Date(Math.max(at_s, firstZipTime_s) * 1000)
  const mtime = new Date(at.getTime() + at.getTimezoneOffset() * 60_000)
  writeFileSync(join(into, `${name}.zip`), zipSync(files, { mtime }))
}

const firstZipTime_s = Date.UTC(1980, 0, 2) / 1000

function membersOf({ folder, executable, system }: Built): (TarMember & { content: Uint8Array })[] {
  const file = (path: string, name = basename(path), mode = 0o644) => ({ name, mode, content: readFileSync(path) })
  const deploy = (name: string) => file(join(root, 'scripts', 'deploy', name))
  return [
    file(join(folder, executable), `fieldstone${system.startsWith('windows') ? '.exe' : ''}`, 0o755),
    file(join(folder, 'THIRD-PARTY-NOTICES.txt')),
    file(join(folder, 'fieldstone.1')),
    file(join(root, 'LICENSE'), 'LICENSE.txt'),
    ...(system.startsWith('linux') ? [deploy('fieldstone.service'), deploy('environment')] : []),
  ]
}
