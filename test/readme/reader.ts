import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { newFolder } from '../cli/fieldstone.ts'
import type { Block } from './documents.ts'

/** The server address in the documents. */
const address = '127.0.0.1:8080'
/** A line that starts a server, with the settings before it. */
const serves = /^(?:\w+=\S+ )*(?=fieldstone serve)/m
const main = join(import.meta.dir, '..', '..', 'src', 'main.ts')

/** A reader who follows a document in an empty folder, with `fieldstone` in the PATH and one shell for all blocks. */
export type Reader = {
  /**
   * Runs the blocks under one heading in their order and returns their output. A block with `fieldstone serve` runs in
   * a second terminal until the end of the heading. `serving`: so does a server that the page takes for granted.
   *
   * @throws when a command does not exit with 0.
   */
  follow(blocks: Block[], options: { serving: boolean }): Promise<string>
  /** Returns the text of a file that the blocks wrote. */
  read(name: string): string
  close(): Promise<void>
}

/** `mirror` is the stand-in for publishers; null: the reader has no network. */
export function openReader(mirror: string | null): Reader {
  const { folder, remove } = newFolder()
  const home = join(folder, 'here')
  mkdirSync(home)
  const env = {
    PATH: `${binIn(folder)}:${process.env.PATH}`,
    HOME: folder,
    FIELDSTONE_PORT: '0',
    ...(mirror === null ? { FIELDSTONE_OFFLINE: '1' } : { FIELDSTONE_MIRROR: mirror }),
  }
  const place = { home, env }
  const shell = openShell(folder, place)
  return {
    async follow(blocks, { serving }) {
      let server =
        serving && !blocks.some(({ text }) => serves.test(text)) ? await serve('fieldstone serve', place) : null
      let output = ''
      try {
        for (const { document, text, line } of blocks) {
          if (serves.test(text)) {
            await server?.stop()
            server = await serve(text, place)
            output += await (await fetch(`http://${server.address}/readyz`)).text()
            continue
          }
          const typed = server ? text.replaceAll(address, server.address) : text
          if (typed.includes(address)) throw new Error(`${document}:${line} needs a server, and none is running.`)
          output += await shell.run(typed, `${document}:${line}`)
        }
      } finally {
        output += (await server?.stop()) ?? ''
      }
      return output
    },
    read: (name) => readFileSync(join(home, name), 'utf8'),
    async close() {
      await shell.close()
      remove()
    },
  }
}

/** The server writes its reserve file soon after it starts. */
async function waitForReserveFile(home: string): Promise<void> {
  while (!existsSync(join(home, 'data', 'reserve_file'))) await Bun.sleep(20)
}

/** Returns the first line that `fieldstone` prints for one line on its standard input. */
export async function firstLineFrom(args: string[], line: string, folder: string): Promise<string> {
  const child = Bun.spawn([join(binIn(folder), 'fieldstone'), ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH!, HOME: folder, FIELDSTONE_OFFLINE: '1' },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  void child.stdin.write(`${line}\n`)
  await child.stdin.end()
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  await child.exited
  if (out === '') throw new Error(`fieldstone printed nothing on standard output: ${err}`)
  return out.split('\n')[0]!
}

type Place = { home: string; env: Record<string, string> }

/** Creates a folder with `fieldstone`: the executable that FIELDSTONE_EXECUTABLE names, or the source. */
export function binIn(folder: string): string {
  const bin = join(folder, 'bin')
  const file = join(bin, 'fieldstone')
  mkdirSync(bin)
  if (process.env.FIELDSTONE_EXECUTABLE) symlinkSync(resolve(process.env.FIELDSTONE_EXECUTABLE), file)
  else {
    writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' --no-env-file '${main}' "$@"\n`)
    chmodSync(file, 0o755)
  }
  return bin
}

/** Opens a shell that ends at the first command that fails. Its variables stay from block to block. */
function openShell(folder: string, { home, env }: Place) {
  const child = Bun.spawn(['sh', '-eu'], { cwd: home, env, stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = [new PipeText(child.stdout), new PipeText(child.stderr)]
  let count = 0
  return {
    async run(text: string, position: string): Promise<string> {
      const file = join(folder, `block-${count++}.sh`)
      const mark = `end of block ${count}`
      writeFileSync(file, text)
      void child.stdin.write(`. '${file}' < /dev/null\necho '${mark}'\necho '${mark}' >&2\n`)
      await child.stdin.flush()
      const [printed, reported] = await Promise.all([out.until(`${mark}\n`), err.until(`${mark}\n`)])
      if (!printed.isFound || !reported.isFound)
        throw new Error(`${position} exited with ${await child.exited}:\n${text}\n${printed.text}${reported.text}`)
      return printed.text + reported.text
    },
    async close(): Promise<void> {
      await child.stdin.end()
      await child.exited
    },
  }
}

/** The text of a pipe, read up to marks in it. */
class PipeText {
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #decoder = new TextDecoder()
  #rest = ''

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#chunks = stream[Symbol.asyncIterator]()
  }

  /** Returns the text before the mark, or all text if the pipe ends before it. */
  async until(mark: string): Promise<{ text: string; isFound: boolean }> {
    for (;;) {
      const end = this.#rest.indexOf(mark)
      if (end >= 0) {
        const text = this.#rest.slice(0, end)
        this.#rest = this.#rest.slice(end + mark.length)
        return { text, isFound: true }
      }
      const { value, done } = await this.#chunks.next()
      if (done) return { text: this.#rest, isFound: false }
      this.#rest += this.#decoder.decode(value, { stream: true })
    }
  }
}

async function serve(text: string, { home, env }: Place) {
  const child = Bun.spawn(['sh', '-c', text.replace(serves, (settings) => `${settings}exec `)], {
    cwd: home,
    env,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const err = child.stderr.text()
  let out = ''
  const started = Promise.withResolvers<string>()
  const outputRead = (async () => {
    for await (const piece of child.stdout) {
      out += new TextDecoder().decode(piece)
      const found = /answers at http:\/\/(\S+) /.exec(out)
      if (found) started.resolve(found[1])
    }
    started.reject(new Error(`The server ended without an address:\n${text}\n${out}${await err}`))
  })()
  const serverAddress = await started.promise
  await waitForReserveFile(home)
  return {
    address: serverAddress,
    async stop(): Promise<string> {
      child.kill('SIGINT')
      await outputRead
      const code = await child.exited
      if (code !== 0) throw new Error(`The server exited with ${code}:\n${text}\n${out}${await err}`)
      return out + (await err)
    },
  }
}
