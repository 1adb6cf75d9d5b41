import { readFileSync } from 'node:fs'

/** The longest answer of /healthz since the last report, in milliseconds. */
let longest_ms = 0

/**
 * Requests /healthz of a process again and again, and reports the longest answer when asked. As a thread of the process
 * that sends the input, it would also measure how that one is busy.
 */
process.on('message', (message: { url: string; pid: number } | 'report') => {
  if (message === 'report') {
    process.send!(longest_ms)
    longest_ms = 0
  } else void requestForever(message.url, message.pid)
})
process.on('disconnect', () => process.exit())

const pause_ms = 3

/**
 * Other processes of the machine can take the processors. The time in which the main thread of the process, or this
 * thread, was ready to run and had no processor is not a pause of the service, so it is subtracted.
 */
async function requestForever(url: string, pid: number): Promise<never> {
  const waited_ms = () => queued_ms(`/proc/${pid}/schedstat`) + queued_ms('/proc/thread-self/schedstat')
  for (;;) {
    const began_ms = performance.now() - waited_ms()
    await (await fetch(url)).arrayBuffer()
    longest_ms = Math.max(longest_ms, performance.now() - waited_ms() - began_ms)
    await Bun.sleep(pause_ms)
  }
}

/** How long a thread has waited for a processor so far. */
function queued_ms(file: string): number {
  return Number(readFileSync(file, 'utf8').split(' ')[1]) / 1e6
}
