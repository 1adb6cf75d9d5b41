import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { AnswerCounts } from './unanswered-rows.ts'
import { tryReadJson } from '../files/small-files.ts'

const Fingerprint = Type.Object({
  /** The SHA-256 of everything in the command line that decides about the result. */
  arguments: Type.String(),
  /** The SHA-256 of the input file. */
  input: Type.String(),
  catalog_version: Type.String(),
  program_version: Type.String(),
})

/** What the result depends on. A result is continued only if nothing of it changed. */
export type BulkFingerprint = Static<typeof Fingerprint>

const BulkJournal = Type.Object({
  format: Type.Literal(1),
  fingerprint: Fingerprint,
  /** `partial`: the run was interrupted. `finished`: the result is complete, but later runs may find more values. */
  state: Type.Union([Type.Literal('partial'), Type.Literal('finished')]),
  /** The time of the answers, in ms since 1970. */
  now_ms: Type.Number(),
  /** The rows that are in the output, and the size and the SHA-256 of the output with these rows. */
  rows: Type.Integer(),
  bytes: Type.Integer(),
  sha256: Type.String(),
  counts: Type.Unsafe<AnswerCounts>(Type.Object({ final: Type.Object({}), unanswered: Type.Array(Type.Object({})) })),
})

/** How far a run without a server is. It stands in a file beside the output, which a later run continues. */
export type BulkJournal = Static<typeof BulkJournal>

/** The files beside an output file: the part that is written, the file made of it, the journal, and the lock. */
export type WorkFiles = { part: string; converted: string; journal: string; lock: string }

/** Returns the files beside an output file. Their names begin with a dot. */
export function workFilesOf(path: string): WorkFiles {
  const fileOf = (extension: string) => join(dirname(path), `.${basename(path)}.${extension}`)
  return { part: fileOf('part'), converted: fileOf('part.converted'), journal: fileOf('journal'), lock: fileOf('lock') }
}

/** Reads a journal; null if there is none, or if it is damaged or of another version. */
export function readJournal(file: string): BulkJournal | null {
  const journal = tryReadJson(file)
  return Value.Check(BulkJournal, journal) ? journal : null
}

/** Replaces the journal as a whole, and syncs it to the disk. */
export function writeJournal(file: string, journal: BulkJournal): void {
  const temporaryFile = `${file}.new`
  const handle = openSync(temporaryFile, 'w', 0o644)
  try {
    writeSync(handle, JSON.stringify(journal))
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(temporaryFile, file)
}

/** Removes the journal. */
export function removeJournal(file: string): void {
  for (const it of [file, `${file}.new`]) rmSync(it, { force: true })
}
