import type { RunWorkerInput, RunWorkerOutput } from '../../src/runs/worker-messages.ts'

declare const self: Worker

/** The ways in which a worker dies or hangs, starting with the first command. */
const ways = {
  throw() {
    throw new Error('thrown in a worker')
  },
  reject() {
    void Promise.reject(new Error('rejected in a worker'))
  },
  exit() {
    process.exit(3)
  },
  overflow(): number {
    return ways.overflow() + 1
  },
  loop() {
    for (;;);
  },
  /** Backtracks for about ten seconds, and then ends by itself. */
  regex() {
    return /a*a*a*a*b/.test('a'.repeat(300))
  },
}
export type WayToDie = keyof typeof ways

const way = ways[process.argv.at(-1) as WayToDie]

self.onmessage = ({ data }: MessageEvent<RunWorkerInput>) => {
  if (!('commandId' in data)) return
  self.postMessage({ begunCommandId: data.commandId } satisfies RunWorkerOutput, [])
  way()
}
