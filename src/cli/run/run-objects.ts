import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'
import { pluralize } from '../../model/text.ts'
import type { StorageFile } from '../../packs/layer/raster-pointer.ts'
import { exitCodes } from '../exit-codes.ts'
import { UsageError } from '../usage-error.ts'
import { openObjectFolder, type ObjectFolder } from './object-folder.ts'
import { StoredParts, type RunPart } from './stored-parts.ts'
import type { RunCommandDeps } from './run-backend.ts'
import { sha256OfJson } from './run-bulk.ts'
import { isObjectUrl, type RunFlags } from './run-input.ts'
import { rowsOfShard, shardOf, type Shard } from './run-shard.ts'

/** Answers a local file, and returns the exit code of the run. */
type AnswerFile = (path: string, out: string, shard: Shard) => Promise<number>

/** The extensions of files of shapes, whose results are GeoJSON. */
const shapeExtensions: ReadonlySet<string> = new Set(['.geojson', '.kml', '.kmz', '.zip', '.gpkg'])
/** Each part has its result and a record, and the storage lists at most 20,000 objects. */
const partsMax = 5_000
const flagsOfFiles = ['server', 'restart', 'fresh', 'json'] as const
/** The flags that do not decide about the result of a part. */
const otherFlags = new Set(['out', 'shard', 'shards', 'workers', 'force', 'quiet', 'strict', 'data'])

/**
 * Answers objects of S3-compatible storage, and writes a result for each part: for each object below a prefix, or for
 * each shard of a single object. When the results of all parts are whole, it writes `_SUCCESS`.
 */
export async function runObjects(
  path: string,
  flags: RunFlags,
  { answerFile, ...deps }: RunCommandDeps & { answerFile: AnswerFile },
): Promise<number> {
  requireObjectFlags(path, flags)
  const shard = shardOf(flags, deps.environment) ?? { number: 1, of: 1 }
  const isFolder = path.endsWith('/')
  const [folder, name] = isFolder ? [path, null] : [path.slice(0, path.lastIndexOf('/') + 1), basename(path)]
  const input = openObjectFolder('The input', folder, deps)
  const output = openObjectFolder('--out', String(flags.out), deps)
  const work = mkdtempSync(join(tmpdir(), 'fieldstone-objects-'))
  try {
    const objects = inputObjectsOf(await input.list(), name, path)
    const allParts = isFolder ? objects.map(partOfObject) : partsOfShards(objects[0]!, shard.of)
    requirePossibleParts(allParts)
    const fingerprint = sha256OfJson([deps.version, resultFlagsOf(flags)])
    const stored = await StoredParts.open(output, { parts: allParts, fingerprint, isForced: flags.force === true })
    const range = isFolder ? rowsOfShard(shard, allParts.length) : { from: shard.number - 1, to: shard.number }
    const parts = allParts.slice(range.from, range.to)
    let worst: number = exitCodes.ok
    for (const part of parts) {
      if (await stored.isWhole(part)) continue
      const { code, isAnswered } = await answerPart(part, { input, stored, folder: work, answerFile })
      if (!isAnswered) return code
      worst = Math.max(worst, code)
    }
    const state = await finishParts(stored, parts)
    if (flags.quiet !== true) deps.print(state)
    return flags.strict === true ? worst : exitCodes.ok
  } finally {
    rmSync(work, { recursive: true, force: true })
    input.close()
    output.close()
  }
}

function requireObjectFlags(path: string, flags: RunFlags): void {
  if (!isObjectUrl(path) || !isObjectUrl(flags.out))
    throw new UsageError(
      'The input and --out must both be in object storage, such as `fieldstone run s3://bucket/in/ --out s3://bucket/out/`.',
    )
  if (!flags.out.endsWith('/'))
    throw new UsageError(`--out ${flags.out} must end with a slash: it gets several objects.`)
  if (flags.out.startsWith(path) || path.startsWith(flags.out))
    throw new UsageError(`--out ${flags.out} overlaps with the input. Set it to another prefix.`)
  const flag = flagsOfFiles.find((name) => flags[name] !== undefined)
  if (flag !== undefined) throw new UsageError(`--${flag} cannot be combined with object storage.`)
}

function resultFlagsOf(flags: RunFlags): [name: string, value: unknown][] {
  const given = Object.entries(flags).filter(([name, value]) => value !== undefined && !otherFlags.has(name))
  return given.toSorted(([a], [b]) => (a < b ? -1 : 1))
}

/** Returns the objects to read. Names that begin with `_` or `.` are those of tools, such as `_SUCCESS`. */
function inputObjectsOf(found: ReadonlyMap<string, StorageFile>, name: string | null, path: string): StorageFile[] {
  const isInput = (it: string) => (name === null ? !/(^|\/)[_.]/.test(it) && !it.endsWith('/') : it === name)
  const objects = [...found.values()].filter((file) => isInput(file.name))
  if (objects.length === 0) throw new UsageError(`There is no object at ${path}.`)
  return objects.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function partOfObject(object: StorageFile): RunPart {
  return { object, shard: null, target: withoutExtension(object.name) + resultExtensionOf(object.name) }
}

function partsOfShards(object: StorageFile, count: number): RunPart[] {
  const digits = (number: number) => String(number).padStart(5, '0')
  return Array.from({ length: count }, (_, i) => ({
    object,
    shard: { number: i + 1, of: count },
    target: `part-${digits(i + 1)}-of-${digits(count)}${resultExtensionOf(object.name)}`,
  }))
}

function withoutExtension(name: string): string {
  return name.slice(0, name.length - extname(name).length)
}

/** The result has the format of the input, or else CSV. */
function resultExtensionOf(name: string): string {
  const extension = extname(name).toLowerCase()
  if (shapeExtensions.has(extension)) return '.geojson'
  return ['.parquet', '.ndjson', '.jsonl'].includes(extension) ? extension : '.csv'
}

function requirePossibleParts(parts: readonly RunPart[]): void {
  if (parts.length > partsMax)
    throw new UsageError(`There are ${parts.length} parts. Use at most ${partsMax.toLocaleString('en-US')}.`)
  const targets = parts.map(({ target }) => target)
  const twice = targets.find((target, i) => targets.indexOf(target) !== i)
  if (twice !== undefined) throw new UsageError(`Two objects have the result ${twice}. Rename one of them.`)
}

type PartDeps = { input: ObjectFolder; stored: StoredParts; folder: string; answerFile: AnswerFile }

/** Answers a part and stores its result. `isAnswered`: the result is complete, although rows may have failed. */
async function answerPart(part: RunPart, { input, stored, folder, answerFile }: PartDeps) {
  const file = join(folder, basename(part.object.name))
  const result = join(folder, `result${extname(part.target)}`)
  try {
    await stored.begin(part)
    await input.download(part.object, file)
    const code = await answerFile(file, result, part.shard ?? { number: 1, of: 1 })
    const isAnswered = existsSync(result)
    if (isAnswered) await stored.finish(part, result)
    return { code, isAnswered }
  } finally {
    for (const path of [file, result]) rmSync(path, { force: true })
  }
}

/** Writes `_SUCCESS` if the parts of all shards are whole. Returns how many are. */
async function finishParts(stored: StoredParts, own: readonly RunPart[]): Promise<string> {
  const { whole, total, successUrl } = await stored.publishIfWhole(own)
  if (successUrl !== null) return `All ${pluralize(total, 'part')} are complete: wrote ${successUrl}.`
  return `${whole} of ${pluralize(total, 'part')} are complete.`
}
