import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isToken, makeToken } from '../../src/auth/token.ts'

const root = join(import.meta.dir, '..', '..')

/** Patterns of the keys of sources, of other common keys, and of home folders. */
const patterns: Record<string, RegExp> = {
  'a key of a model': /\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{24,}/g,
  'a private key': /-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[A-Za-z0-9+/]{40}/g,
  'a key of a cloud': /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{35}\b/g,
  'a token of a code host': /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{40,}|glpat-[\w-]{20}|npm_[A-Za-z0-9]{36})\b/g,
  'a token of a chat': /\bxox[abprs]-[A-Za-z0-9-]{20,}/g,
  'a name and password in an address': /\bhttps?:\/\/[^\s/@:'"`$\\<>{}]{2,}:[^\s/@:'"`$\\<>{}]{6,}@[a-z]/g,
  'a signed token': /\beyJ[A-Za-z0-9_-]{20,}\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}/g,
}
/** Secrets that tests plant are marked. The word "password" is not a password. */
const isPlanted = (secret: string) => /planted|:password@/.test(secret)
const ofOurs = /\bfst_[a-z]{3}_[0-9A-Za-z]{36}\b/g

/** Returns the secrets in a text: the kind, and the first characters. */
function secretsIn(text: string): string[] {
  const found = Object.entries(patterns).flatMap(([kind, pattern]) =>
    [...text.matchAll(pattern)]
      .filter(([secret]) => !isPlanted(secret))
      .map(([secret]) => `${kind}: ${secret.slice(0, 24)}`),
  )
  return [
    ...found,
    ...[...text.matchAll(ofOurs)]
      .filter(([token]) => isToken(token))
      .map(([token]) => `a token of ours: ${token.slice(0, 12)}`),
  ]
}

const made = new Set(['node_modules', 'dist', 'data', '.git', '.bun'])
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (made.has(entry.name)) return []
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesIn(path) : [path]
  })

describe('secrets', () => {
  test('are not in the repository', () => {
    const files = filesIn(root)
    expect(files.length).toBeGreaterThan(500)
    expect(
      files.flatMap((file) =>
        secretsIn(readFileSync(file, 'latin1')).map((secret) => `${file.slice(root.length)}: ${secret}`),
      ),
    ).toEqual([])
  })

  const executable = resolve(process.env.FIELDSTONE_EXECUTABLE ?? join(root, 'dist', 'fieldstone'))
  test.skipIf(!existsSync(executable))('are not in the executable and the files next to it', () => {
    const beside = ['', '.cdx.json'].map((suffix) => executable + suffix).filter((file) => existsSync(file))
    expect(beside.flatMap((file) => secretsIn(readFileSync(file, 'latin1')))).toEqual([])
  })

  test('of every kind are detected', () => {
    const token = makeToken('pat', (size) => crypto.getRandomValues(new Uint8Array(size)))
    const b64 = 'Ab3'.repeat(30)
    const planted = [
      `sk-ant-${b64}`,
      `-----BEGIN EC PRIVATE KEY-----\n${b64}`,
      `AKIA${b64.slice(0, 16).toUpperCase()}`,
      `ghp_${b64.slice(0, 36)}`,
      `xoxb-${b64.slice(0, 30)}`,
      `https://user:${b64.slice(0, 9)}@host.example`,
      `eyJ${b64.slice(0, 30)}.eyJ${b64.slice(0, 30)}.${b64.slice(0, 30)}`,
      token,
    ]
    for (const secret of planted) expect(secretsIn(`x = "${secret}"`)).toHaveLength(1)
    expect(secretsIn(`x = "${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}"`)).toEqual([])
  })
})
