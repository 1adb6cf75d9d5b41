import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { linkUnpackedData } from './unpacked-data.ts'

/** The executable in FIELDSTONE_EXECUTABLE, or else the source. */
const executable = process.env.FIELDSTONE_EXECUTABLE
const program = executable
  ? [resolve(executable)]
  : [process.execPath, '--no-env-file', join(import.meta.dir, '..', '..', 'src', 'main.ts')]

/** Commands that must not find, or leave, a data folder that is not theirs. */
const leavesFolders = new Set(['mcp', 'restore', 'backup', 'doctor', 'healthcheck', 'version', 'help', 'migrate-state'])

/** Commands that say so if they create the data folder. Here they find an empty one. */
const answersOnce = new Set(['ask', 'fetch', 'area', 'geocode', 'lookup', 'report', 'run', 'pack'])

/** The real process, in an empty folder and with only the given environment. */
export type Fieldstone = {
  pid: number
  /** Waits until the output on stdout or stderr matches, and returns the match. */
  waitForOutput(what: RegExp): Promise<RegExpExecArray>
  /** Waits for the exit. Returns the exit code and all output. */
  end(): Promise<{ code: number; out: string; err: string }>
  signal(name: 'SIGTERM' | 'SIGINT' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void
}

/** `under` is the command line of a tool that starts and observes the process. */
export function startFieldstone(
  words: string[],
  env: Record<string, string>,
  folder: string,
  under: string[] = [],
): Fieldstone {
  const data = dataFolderOf(words, env, folder)
  const isLinked = executable !== undefined && !leavesFolders.has(words[0] ?? '')
  const removeUnlinked = isLinked ? linkUnpackedData(data) : () => {}
  const made = answersOnce.has(words[0] ?? '') && !existsSync(data) && makeFolder(data)
  const removeUnused = () => {
    removeUnlinked()
    if (made && existsSync(data) && readdirSync(data).length === 0) rmSync(made, { recursive: true })
  }
  const child = Bun.spawn([...under, ...program, ...words], {
    cwd: folder,
    env: { FIELDSTONE_OFFLINE: '1', FIELDSTONE_PORT: '0', FIELDSTONE_DRAIN_SECONDS: '0', ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const heard = { out: '', err: '' }
  const listeners = new Set<() => void>()
  const hear = async (stream: ReadableStream<Uint8Array>, into: 'out' | 'err') => {
    const decoder = new TextDecoder()
    for await (const piece of stream) {
      heard[into] += decoder.decode(piece, { stream: true })
      for (const listener of listeners) listener()
    }
  }
  const ended = Promise.all([child.exited, hear(child.stdout, 'out'), hear(child.stderr, 'err')])
  const found = (what: RegExp) => what.exec(heard.out) ?? what.exec(heard.err)
  return {
    pid: child.pid,
    waitForOutput: (what) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = found(what)
          if (!match) return
          listeners.delete(look)
          resolve(match)
        }
        listeners.add(look)
        look()
        void ended.then(() =>
          found(what) ? undefined : reject(new Error(`ended without saying ${what}: ${JSON.stringify(heard)}`)),
        )
      }),
    async end() {
      const [code] = await ended
      removeUnused()
      return { code, ...heard }
    },
    signal: (name) => child.kill(name),
  }
}

/** Returns the first folder that was made; undefined if a file is in the way. */
function makeFolder(path: string): string | undefined {
  try {
    return mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch {
    return undefined
  }
}

/** Where the process keeps its data: `--data`, else FIELDSTONE_DATA, else `data` below its folder. */
function dataFolderOf(words: string[], { FIELDSTONE_DATA }: Record<string, string>, folder: string): string {
  const option = words.indexOf('--data')
  return resolve(folder, (option === -1 ? FIELDSTONE_DATA : words[option + 1]) ?? 'data')
}

/** A temporary folder. */
export function newFolder(): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'fieldstone-cli-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** A process whose standard input is written piece by piece. */
export type FilterProcess = {
  write(input: string | Uint8Array): Promise<void>
  /** Waits for a line of standard output. */
  readLine(): Promise<string>
  /** Waits for this many bytes of standard output. */
  read(size: number): Promise<Buffer>
  /** Closes standard input. Returns the exit code and the rest of the output. */
  end(): Promise<{ code: number; out: Buffer; err: string }>
  /** Sends a signal, and waits until the process has ended. */
  stop(name: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

/** Starts a process that reads standard input. */
export function startFilter(words: string[], folder: string, environment: Record<string, string> = {}): FilterProcess {
  if (executable !== undefined) linkUnpackedData(join(folder, 'data'))
  const env = { FIELDSTONE_OFFLINE: '1', ...environment }
  const child = Bun.spawn([...program, ...words], { cwd: folder, env, stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' })
  const pieces = child.stdout[Symbol.asyncIterator]()
  const err = new Response(child.stderr).text()
  let rest = Buffer.alloc(0)
  const readPiece = async () => {
    const { value, done } = await pieces.next()
    if (!done) rest = Buffer.concat([rest, value])
    return !done
  }
  const take = (size: number) => {
    const taken = rest.subarray(0, size)
    rest = rest.subarray(size)
    return taken
  }
  return {
    async write(input) {
      void child.stdin.write(input)
      await child.stdin.flush()
    },
    async readLine() {
      while (!rest.includes('\n')) if (!(await readPiece())) throw new Error(`ended: ${await err}`)
      return take(rest.indexOf('\n') + 1)
        .toString()
        .trimEnd()
    },
    async read(size) {
      while (rest.length < size) if (!(await readPiece())) throw new Error(`ended: ${await err}`)
      return take(size)
    },
    async end() {
      await child.stdin.end()
      while (await readPiece());
      return { code: await child.exited, out: take(rest.length), err: await err }
    },
    async stop(name) {
      child.kill(name)
      await child.exited
    },
  }
}
