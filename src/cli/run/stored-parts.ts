import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { StorageFile } from '../../packs/layer/raster-pointer.ts'
import { FileChangedError } from '../../storage/file-storage.ts'
import { UsageError } from '../usage-error.ts'
import type { ObjectFolder } from './object-folder.ts'
import { TemporaryRunError } from './run-backend.ts'
import type { Shard } from './run-shard.ts'

/** A part of a run on objects: an object, or a shard of one, and the name of its result. */
export type RunPart = { object: StorageFile; shard: Shard | null; target: string }

/** What is stored about a part. Without `result`, it was begun. */
const PartRecord = Type.Object({
  /** The SHA-256 of the command line and the version. */
  fingerprint: Type.String(),
  input: Type.Object({ name: Type.String(), version: Type.String(), size_bytes: Type.Integer() }),
  result: Type.Optional(Type.Object({ version: Type.String(), size_bytes: Type.Integer() })),
})
type PartRecord = Static<typeof PartRecord>

const successName = '_SUCCESS'
const recordsFolder = '_parts/'
/** The records that are read at a time. */
const readsAtATime = 16

type Options = { parts: readonly RunPart[]; fingerprint: string; isForced: boolean }

/**
 * The results of the parts of a run, each with a record beside it. A record says which object the result belongs to and
 * which bytes it has, so that a part counts as whole only if exactly this result is stored.
 */
export class StoredParts {
  readonly #output: ObjectFolder
  readonly #options: Options
  /** What was stored at the start. */
  readonly #found: ReadonlyMap<string, StorageFile>

  private constructor(output: ObjectFolder, options: Options, found: ReadonlyMap<string, StorageFile>) {
    this.#output = output
    this.#options = options
    this.#found = found
  }

  /** @throws {UsageError} if there are objects of something else, and nothing may be replaced. */
  static async open(output: ObjectFolder, options: Options): Promise<StoredParts> {
    const found = await output.list()
    const known = new Set([successName, ...options.parts.flatMap(({ target }) => [target, recordNameOf(target)])])
    const other = [...found.keys()].find((name) => !known.has(name))
    if (other !== undefined && !options.isForced) throw takenError(output, other)
    return new StoredParts(output, options, found)
  }

  /**
   * Whether the result of a part is stored completely.
   * @throws {UsageError} if it is the result of another run, and may not be replaced.
   */
  async isWhole(part: RunPart): Promise<boolean> {
    const record = await this.#readRecord(part.target, this.#found)
    const isOther = record ? record.fingerprint !== this.#options.fingerprint : this.#found.has(part.target)
    if (isOther && !this.#options.isForced) throw takenError(this.#output, part.target)
    return this.#isResultOf(part, record, this.#found)
  }

  /** Says that a part is being written, before its first byte is. */
  async begin(part: RunPart): Promise<void> {
    if (this.#found.has(successName)) await this.#output.remove(successName)
    await this.#writeRecord(part, undefined)
  }

  async finish(part: RunPart, file: string): Promise<void> {
    const { version, size_bytes } = await this.#output.upload(part.target, Bun.file(file))
    await this.#writeRecord(part, { version, size_bytes })
  }

  /**
   * Writes `_SUCCESS` if all parts are whole.
   * @throws {TemporaryRunError} if one of `own` is not: another process replaced it.
   */
  async publishIfWhole(own: readonly RunPart[]) {
    const { parts, fingerprint } = this.#options
    const found = await this.#output.list()
    let whole = 0
    for (let i = 0; i < parts.length; i += readsAtATime) {
      const some = parts.slice(i, i + readsAtATime)
      const records = await Promise.all(some.map(({ target }) => this.#readRecord(target, found).catch(nullIfChanged)))
      for (const [k, part] of some.entries()) {
        if (this.#isResultOf(part, records[k]!, found)) whole++
        else if (own.includes(part))
          throw new TemporaryRunError(
            `${this.#output.location}${part.target} was replaced by another process. Run the same command again.`,
          )
      }
    }
    const total = parts.length
    if (whole < total) return { whole, total, successUrl: null }
    await this.#output.upload(successName, `${JSON.stringify({ parts: total, fingerprint })}\n`)
    return { whole, total, successUrl: `${this.#output.location}${successName}` }
  }

  #isResultOf(
    { object, target }: RunPart,
    record: PartRecord | null,
    found: ReadonlyMap<string, StorageFile>,
  ): boolean {
    if (!record?.result || record.fingerprint !== this.#options.fingerprint) return false
    return isSameVersion(record.input, object) && isSameVersion(record.result, found.get(target))
  }

  async #readRecord(target: string, found: ReadonlyMap<string, StorageFile>): Promise<PartRecord | null> {
    const file = found.get(recordNameOf(target))
    if (!file) return null
    const record: unknown = JSON.parse(await this.#output.readText(file))
    if (Value.Check(PartRecord, record)) return record
    throw new UsageError(`${this.#output.location}${file.name} is damaged. Delete it, and run the same command again.`)
  }

  async #writeRecord({ object, target }: RunPart, result: PartRecord['result']): Promise<void> {
    const { fingerprint } = this.#options
    const record: PartRecord = { fingerprint, input: object, ...(result && { result }) }
    await this.#output.upload(recordNameOf(target), `${JSON.stringify(record)}\n`)
  }
}

function recordNameOf(target: string): string {
  return `${recordsFolder}${target}.json`
}

/** A part whose record changes is being written by another process, which looks for complete parts afterward. */
function nullIfChanged(error: unknown): null {
  if (error instanceof TemporaryRunError && error.cause instanceof FileChangedError) return null
  throw error
}

type Version = Pick<StorageFile, 'version' | 'size_bytes'>

function isSameVersion(a: Version, b: Version | undefined): boolean {
  return a.version === b?.version && a.size_bytes === b.size_bytes
}

function takenError({ location }: ObjectFolder, name: string): UsageError {
  return new UsageError(
    `${location}${name} is not of this run. Set --out to another prefix, or add --force to replace the results there.`,
  )
}
