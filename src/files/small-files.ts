import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tryParseJson } from '../model/record.ts'

/** Returns the names in a folder; none if it does not exist or cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Returns the value of a JSON file; null if it does not exist, cannot be read, or is not valid JSON. */
export function tryReadJson(path: string): unknown {
  try {
    return tryParseJson(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}

/** Replaces a small file as a whole: it never has a part of the text. `flush`: syncs the text to the disk first. */
export function replaceFile(path: string, text: string, options: { flush?: boolean } = {}): void {
  const part = `${path}.part`
  writeFileSync(part, text, { mode: 0o600, ...options })
  renameSync(part, path)
}
