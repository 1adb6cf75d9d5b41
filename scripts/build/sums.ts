import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The lines of SHA256SUMS for all that a folder has to give away, as `sha256sum -c` reads them. */
export function sumsOf(folder: string): string {
  const files = readdirSync(folder)
    .filter((name) => /^(fieldstone|THIRD-PARTY-NOTICES)/.test(name) && !name.includes('.part'))
    .sort()
  return files.map((name) => `${sha256Of(join(folder, name))}  ${name}\n`).join('')
}

export function sha256Of(file: string): string {
  return new Bun.CryptoHasher('sha256').update(readFileSync(file)).digest('hex')
}
