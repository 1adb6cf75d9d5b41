import { suggestName } from '../../model/nearest-name.ts'
import { splitNames } from '../../model/text.ts'
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { AddedColumns } from '../../runs/artifacts/artifact-columns.ts'
import { hasFields, isRunKind, runKinds } from '../../runs/run-kind.ts'
import { runNameOfFile } from '../../runs/run-name.ts'
import { uploadFormatOf } from '../../runs/upload/upload-table.ts'
import type { RunKind } from '../../runs/report/run-summary.ts'
import { resultColumns, type RunJob } from './run-backend.ts'
import { standardStream } from './run-output.ts'
import type { Shard } from './run-shard.ts'
import { UsageError } from '../usage-error.ts'

export type RunFlags = { readonly [name: string]: string | boolean | undefined }

/**
 * The file to read. `remove` deletes a temporary copy. `kind` is the kind of run for a file of shapes, and `ignored`
 * the number of its features that are neither a polygon nor a line.
 */
type RunInput = { path: string; name: string; kind: RunKind | null; ignored: number; remove(): void }

const shapeExtensions: ReadonlySet<string> = new Set(['.geojson', '.kml', '.kmz', '.zip'])

/** Finds the input file, or copies standard input into a file. @throws {UsageError} */
export async function openRunInput(path: string | undefined): Promise<RunInput> {
  if (path === undefined)
    throw new UsageError(
      'No CSV file given. Usage: `fieldstone run <file.csv> --preset <name> | --fields <a,b> [--out <file.csv>] [--server <address> --token <token>]`. See `fieldstone help run`.',
    )
  if (path === standardStream) return copyStandardInput()
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) throw new UsageError(`The file ${path} does not exist.`)
  if (shapeExtensions.has(extname(path).toLowerCase())) return convertShapes(path)
  return { path, name: basename(path), kind: null, ignored: 0, remove: () => {} }
}

/** Shapes become a table in a temporary file, so that their runs work like all others. */
async function convertShapes(file: string): Promise<RunInput> {
  const { writeShapeTable } = await import('./run-shapes.ts')
  const { path, remove } = temporaryFile()
  const name = basename(file)
  try {
    return { path, name, kind: 'area_batch', ignored: await writeShapeTable(file, name, path), remove }
  } catch (error) {
    remove()
    throw error
  }
}

function temporaryFile(): { path: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-run-'))
  return { path: join(folder, 'input'), remove: () => rmSync(folder, { recursive: true, force: true }) }
}

async function copyStandardInput(): Promise<RunInput> {
  const { path, remove } = temporaryFile()
  await pipeline(process.stdin, createWriteStream(path))
  return { path, name: 'standard input', kind: null, ignored: 0, remove }
}

/** Returns the run that the flags describe. @throws {UsageError} */
export function parseRunJob({ path, name, kind: kindOfFile }: RunInput, flags: RunFlags): RunJob {
  const kind = textFlag(flags.kind) ?? kindOfFile ?? 'fetch_batch'
  if (!isRunKind(kind))
    throw new UsageError(
      `Unknown --kind ${JSON.stringify(kind)}.${suggestName(kind, Object.keys(runKinds))} The kinds are ${Object.keys(runKinds).join(', ')}.`,
    )
  if (kindOfFile !== null && kind !== kindOfFile)
    throw new UsageError(`${name} has shapes, which --kind ${kind} cannot answer. Omit --kind.`)
  const fieldList = textFlag(flags.fields)
  const fields = fieldList === undefined ? undefined : splitNames(fieldList)
  const preset = textFlag(flags.preset)
  if (!hasFields(kind) && (fields !== undefined || preset !== undefined))
    throw new UsageError(
      `--fields and --preset cannot be combined with --kind ${kind}, only with --kind fetch_batch and area_batch.`,
    )
  const format = uploadFormatOf((name) => textFlag(flags[name]))
  return {
    input: Bun.file(path),
    name: runNameOfFile(name),
    kind,
    fields,
    preset,
    format,
    isFresh: flags.fresh === true,
  }
}

/** Returns the idempotency key of a run on a server. */
export async function runKeyOf({ input, kind, fields, preset, format }: RunJob): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256').update(JSON.stringify([kind, fields ?? null, preset ?? null, format]))
  for await (const chunk of input.stream()) hash.update(chunk)
  return `fieldstone-run-${hash.digest('hex')}`
}

/** Returns the number of --workers; null if it is not given. @throws {UsageError} */
export function workersOf({ workers }: RunFlags): number | null {
  if (workers === undefined) return null
  if (typeof workers === 'string' && /^\d{1,3}$/.test(workers)) return Number(workers)
  throw new UsageError(`--workers ${JSON.stringify(workers)} is not valid. Use a number from 0 to 999.`)
}

/** Returns what --include adds to the result file. @throws {UsageError} */
export function addedColumnsOf({ include }: RunFlags): AddedColumns[] {
  const names = splitNames(textFlag(include) ?? '')
  const unknown = names.find((name) => !resultColumns.some((it) => it === name))
  if (unknown !== undefined)
    throw new UsageError(
      `Unknown --include ${JSON.stringify(unknown)}.${suggestName(unknown, resultColumns)} Use ${resultColumns.join(', ')}.`,
    )
  return resultColumns.filter((it) => names.includes(it))
}

/** Returns the output file: `--out`, or a name made from the input file; standard output for standard input. */
export function outputPathOf(path: string, flags: RunFlags, shard: Shard | null): string {
  const out = textFlag(flags.out)
  if (out !== undefined) return out
  if (path === standardStream) return standardStream
  const part = shard ? `.${shard.number}-of-${shard.of}` : ''
  return `${basename(path, extname(path))}.${textFlag(flags.preset) ?? textFlag(flags.kind) ?? 'fetch_batch'}${part}.csv`
}

/** Returns the value of a flag that takes a text; undefined if it is not given or empty. */
function textFlag(flag: string | boolean | undefined): string | undefined {
  return typeof flag === 'string' && flag !== '' ? flag : undefined
}
