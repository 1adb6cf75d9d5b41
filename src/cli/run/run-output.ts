import { accessSync, constants, copyFileSync, linkSync, renameSync, rmSync, statSync, type Stats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { writeToStandardOutput } from '../../bulk/result-sink.ts'
import { RunCommandError } from './run-backend.ts'
import { UsageError } from '../usage-error.ts'

/** The name of standard output, and of standard input. */
export const standardStream = '-'

/** The output file of a run. It is written beside its final name and renamed when it is complete. */
export class RunOutput {
  readonly path: string
  readonly #force: boolean
  /** The file that may be replaced, as it was when it was checked. */
  #replaceable: Stats | undefined

  /** @throws {UsageError} if the file is the input file, or cannot be written. */
  constructor(path: string, { input, force }: { input: string; force: boolean }) {
    this.path = path
    this.#force = force
    if (path === standardStream) return
    const existing = statSync(path, { throwIfNoEntry: false })
    if (existing && input !== standardStream && isSameFile(existing, statSync(input)))
      throw new UsageError(`${path} is the input file, which is never overwritten. Set --out to another file.`)
    this.#requireWritable(existing)
  }

  /** Whether a file is there that must not be replaced, unless it is an earlier result of the same run. */
  get isTaken(): boolean {
    const mayBeReplaced = this.#force || this.#replaceable !== undefined || this.path === standardStream
    return !mayBeReplaced && statSync(this.path, { throwIfNoEntry: false }) !== undefined
  }

  /** Allows to replace the file if it has exactly the given bytes. @throws {UsageError} otherwise. */
  async allowReplacing(earlierResult: Response | null): Promise<void> {
    const found = statSync(this.path)
    const isEarlierResult =
      earlierResult !== null && (await hashOf(earlierResult.body!)) === (await hashOf(Bun.file(this.path).stream()))
    if (!isEarlierResult) throw this.takenError()
    this.#replaceable = found
  }

  /** Allows the file to be replaced as it is now. */
  allowReplacingAsItIs(): void {
    this.#replaceable = statSync(this.path, { throwIfNoEntry: false })
  }

  /** The error if the file is another one than the result. */
  takenError(): UsageError {
    return new UsageError(`${this.path} exists. To replace it, add --force. To keep it, set --out to another file.`)
  }

  /** Writes the whole result. @throws {RunCommandError} if it cannot be written; the file is then unchanged. */
  async save(result: Response): Promise<void> {
    if (this.path === standardStream) {
      for await (const chunk of result.body!) await writeToStandardOutput(chunk)
      return
    }
    const part = partialPathOf(this.path)
    try {
      const file = Bun.file(part).writer()
      for await (const chunk of result.body!) await file.write(chunk)
      await file.end()
      this.publish(part)
    } catch (cause) {
      throw new RunCommandError(
        `Cannot write ${this.path}: ${(cause as Error).message}. The results are stored. Run the same command again to write them.`,
        { cause },
      )
    } finally {
      rmSync(part, { force: true })
    }
  }

  /** Gives a complete file its final name. @throws {Error} if another file has the name and must not be replaced. */
  publish(part: string): void {
    const found = statSync(this.path, { throwIfNoEntry: false })
    if (this.#force || (found && this.#replaceable && isUnchanged(found, this.#replaceable)))
      return renameSync(part, this.path)
    try {
      linkSync(part, this.path)
      rmSync(part)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST')
        throw new Error('the file was created or changed in the meantime', { cause: error })
      // The file system has no hard links.
      copyFileSync(part, this.path, constants.COPYFILE_EXCL)
      rmSync(part)
    }
  }

  #requireWritable(existing: Stats | undefined): void {
    try {
      if (existing?.isDirectory()) throw new Error('it is a folder')
      accessSync(dirname(this.path), constants.W_OK)
    } catch (cause) {
      throw new UsageError(`Cannot write ${this.path}: ${(cause as Error).message}. Set --out to another file.`, {
        cause,
      })
    }
  }
}

function isSameFile(a: Stats, b: Stats): boolean {
  return a.dev === b.dev && a.ino === b.ino
}

function isUnchanged(a: Stats, b: Stats): boolean {
  return isSameFile(a, b) && a.size === b.size && a.mtimeMs === b.mtimeMs
}

/** A name beside the file that no other file has. */
function partialPathOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.${crypto.randomUUID()}.part`)
}

async function hashOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  for await (const chunk of chunks) hash.update(chunk)
  return hash.digest('hex')
}
