import { ValidationError } from '../../model/error.ts'
import { suggestName } from '../../model/nearest-name.ts'
import { splitNames } from '../../model/text.ts'
import { createWriteStream, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { AddedColumns } from '../../runs/artifacts/artifact-columns.ts'
import { hasFields, isRunKind, runKinds } from '../../runs/run-kind.ts'
import { runNameOfFile } from '../../runs/run-name.ts'
import { uploadFormatOf, type UploadFormat } from '../../runs/upload/upload-format.ts'
import type { RunKind } from '../../runs/report/run-summary.ts'
import { openPlacesFile, placesFileError } from './places-file.ts'
import { writePlacesTable } from './places-table.ts'
import { resultColumns, type RunJob } from './run-backend.ts'
import { standardStream } from './run-output.ts'
import type { Shard } from './run-shard.ts'
import { UsageError } from '../usage-error.ts'

export type RunFlags = { readonly [name: string]: string | boolean | undefined }

/**
 * The file to read. `remove` deletes what was unpacked or converted. `kind` is the kind of run for a file of shapes, and
 * `ignored` the number of its features that this kind cannot answer. `converted` says how to read the table that was
 * made of another format, and its coordinate system; null for a table.
 */
type RunInput = {
  path: string
  name: string
  kind: RunKind | null
  ignored: number
  converted: { format: UploadFormat; read: NonNullable<RunJob['converted']> } | null
  remove(): void
}

/** Whether an input or an output is in object storage. */
export function isObjectUrl(path: string | boolean | undefined): path is string {
  return typeof path === 'string' && /^s3:\/\//i.test(path)
}

/** Opens the input file, or standard input, by its content. @throws {UsageError} */
export async function openRunInput(path: string | undefined, flags: RunFlags): Promise<RunInput> {
  if (path === undefined)
    throw new UsageError(
      'No file given. Usage: `fieldstone run <file> --preset <name> | --fields <a,b> [--out <file.csv>] [--server <address> --token <token>]`. See `fieldstone help run`.',
    )
  const isStream = path === standardStream
  if (!isStream && !existsSync(path)) throw new UsageError(`The file ${path} does not exist.`)
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-run-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    const file = isStream ? join(folder, 'input') : path
    if (isStream) await pipeline(process.stdin, createWriteStream(file))
    const name = isStream ? 'standard input' : basename(path)
    return { ...(await openTable(file, name, folder, flags)), name, remove }
  } catch (error) {
    remove()
    throw placesFileError(error, path)
  }
}

/** Features become a table, so that their runs work like all others. */
async function openTable(
  path: string,
  name: string,
  folder: string,
  flags: RunFlags,
): Promise<Omit<RunInput, 'name' | 'remove'>> {
  const table = { kind: null, ignored: 0, converted: null }
  // An empty file has no content to detect. Its table has no header.
  if (statSync(path).size === 0) return { ...table, path }
  const layer = textFlag(flags.layer) ?? null
  const file = await openPlacesFile(path, name, { layer, encoding: textFlag(flags.encoding) }, folder)
  if ('table' in file) return { ...table, path: file.table }
  const to = join(folder, 'table')
  const kind = textFlag(flags.kind) ?? null
  const options = { name: file.name, kind: kind !== null && isRunKind(kind) ? kind : null, crs: crsOfFlags(flags), to }
  const { format, mapping, crs, ...rest } = await writePlacesTable(file.open, options)
  // The first line has the delimiter. Positions in the table are degrees.
  const tableFormat = { delimiter: ',', header_row: 2, ...(mapping && { mapping }) }
  return { path: to, ...rest, converted: { format: tableFormat, read: { file: file.name, format, crs } } }
}

function crsOfFlags(flags: RunFlags): string | null {
  return formatOfFlags(flags).crs ?? null
}

/** How the flags say to read a table. @throws {UsageError} */
function formatOfFlags(flags: RunFlags): UploadFormat {
  try {
    return uploadFormatOf((name) => {
      const flag = flags[name.replaceAll('_', '-')]
      return flag === true ? 'true' : textFlag(flag)
    })
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    const texts = error.violations.map(({ loc, msg }) => `--${String(loc.at(-1)).replaceAll('_', '-')}: ${msg}.`)
    throw new UsageError(texts.join('\n'), { cause: error })
  }
}

/** The table of a converted file is read as it was written; the user can choose other columns of it. */
function formatOf({ converted }: RunInput, flags: RunFlags): UploadFormat {
  const format = formatOfFlags(flags)
  if (!converted) return format
  const { mapping = converted.format.mapping, crs, west } = format
  const isOfColumns = mapping !== converted.format.mapping || mapping === undefined
  return {
    ...converted.format,
    ...(mapping && { mapping }),
    ...(isOfColumns && crs !== undefined && { crs }),
    ...(west && { west }),
  }
}

/** Returns the run that the flags describe. @throws {UsageError} */
export function parseRunJob(input: RunInput, flags: RunFlags): RunJob {
  const { path, name, kind: kindOfFile, converted } = input
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
  return {
    input: Bun.file(path),
    name: runNameOfFile(name),
    kind,
    fields,
    preset,
    format: formatOf(input, flags),
    converted: converted?.read ?? null,
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
  return `${stemOf(path)}.${textFlag(flags.preset) ?? textFlag(flags.kind) ?? 'result'}${part}.csv`
}

/** The name of a file without its extension, and without that of an archive around it. */
function stemOf(path: string): string {
  const name = basename(path).replace(/\.(?:gz|zip)$/i, '')
  return basename(name, extname(name))
}

/** Returns the value of a flag that takes a text; undefined if it is not given or empty. */
function textFlag(flag: string | boolean | undefined): string | undefined {
  return typeof flag === 'string' && flag !== '' ? flag : undefined
}
