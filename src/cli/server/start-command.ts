import { streamLines } from '../../async/stream-lines.ts'
import type { Environment } from '../../config.ts'
import type { ProcessMessage } from '../../server-process.ts'
import { exitCodes } from '../exit-codes.ts'
import type { SpawnProcess } from './supervisor.ts'
import type { StartCommand } from '../../pack-plans/pack-fetches.ts'

/** The last characters of standard error that are kept. */
const errorsMax = 4_000

/** Returns a function that starts commands of this executable. `program`: its command line, without the words. */
export function createStartCommand(program: readonly string[], env: Environment): StartCommand {
  return (words, settings) => {
    const child = Bun.spawn([...program, ...words], {
      env: { ...env, ...settings },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const errors = readEnd(child.stderr)
    return {
      lines: streamLines(child.stdout),
      ended: Promise.all([child.exited, errors]).then(([code, text]) => ({
        code,
        isInterrupted:
          code === exitCodes.interrupted || child.signalCode === 'SIGTERM' || child.signalCode === 'SIGINT',
        errors: text.trim(),
      })),
      interrupt: () => child.kill('SIGTERM'),
    }
  }
}

/** The first argument of a process of `serve --processes`. The arguments of its supervisor follow. */
export const serverProcessArgument = '--server-process'

/** Returns a function that starts processes of `serve --processes`, with the output of this process. */
export function createSpawnProcess(program: readonly string[], args: readonly string[]): SpawnProcess {
  return (onMessage) => {
    let isConnected = true
    const child = Bun.spawn([...program, serverProcessArgument, ...args], {
      stdio: ['ignore', 'inherit', 'inherit'],
      serialization: 'json',
      ipc: (message: ProcessMessage) => onMessage(message),
      onDisconnect: () => void (isConnected = false),
    })
    return {
      pid: child.pid,
      // A process closes its connection before it ends, but a killed one closes it afterwards.
      send: (message) => {
        if (isConnected && child.exitCode === null && child.signalCode === null) child.send(message)
      },
      kill: () => child.kill('SIGKILL'),
      ended: child.exited.then((code) => child.signalCode ?? code),
    }
  }
}

async function readEnd(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream) text = (text + decoder.decode(chunk, { stream: true })).slice(-errorsMax)
  return text
}
