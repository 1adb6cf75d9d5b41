import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the lines of SHA256SUMS for the release files of a folder, in the format of `sha256sum -c`. */
export function sumsOf(folder: string): string {
  const files = readdirSync(folder)
    .filter((name) => /^(fieldstone|install\.sh$|THIRD-PARTY-NOTICES)/.test(name) && !name.includes('.part'))
    .sort()
  return files.map((name) => `${sha256Of(join(folder, name))}  ${name}\n`).join('')
}

export function sha256Of(file: string): string {
  return new Bun.CryptoHasher('sha256').update(readFileSync(file)).digest('hex')
}
