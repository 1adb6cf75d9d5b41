import type { RunWorkerInput } from '../../src/runs/worker-messages.ts'

declare const self: Worker

/** The ways in which a worker comes to its end, or to none; each begins with the first order. */
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
  /** Some ten seconds of going back and forth; it ends by itself, since nothing else ends it. */
  regex() {
    return /a*a*a*a*b/.test('a'.repeat(300))
  },
}
export type WayToDie = keyof typeof ways

const way = ways[process.argv.at(-1) as WayToDie]

self.onmessage = ({ data }: MessageEvent<RunWorkerInput>) => {
  if ('commandId' in data) way()
}
