/** Runs jobs in a worker thread, one after the other. The worker ends when no job is left, and frees its memory. */
export type JobWorker<Job, Reply> = {
  /**
   * A job whose signal aborts before its turn is not started.
   * @throws JobWorkerError if the worker does not reply in time, fails, or ends.
   */
  run(job: Job, options: JobOptions): Promise<Reply>
  close(): void
}

type JobOptions = { timeout_ms: number; transfer?: ArrayBuffer[]; signal?: AbortSignal }

/** The worker did not reply. The message continues the sentence "The job failed:". */
export class JobWorkerError extends Error {}

/** Creates the runner. The worker replies to each message with one message. */
export function createJobWorker<Job, Reply>(startWorker: () => Worker): JobWorker<Job, Reply> {
  let worker: Worker | null = null
  let lastJob: Promise<unknown> = Promise.resolve()
  let waiting = 0
  const stop = () => {
    const stopped = worker
    worker = null
    stopped?.terminate()
  }
  const runNow = (job: Job, { timeout_ms, transfer = [], signal }: JobOptions) => {
    signal?.throwIfAborted()
    const current = (worker ??= startWorker())
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    const fail = (what: string) => {
      if (worker === current) stop()
      reject(new JobWorkerError(what))
    }
    const timer = setTimeout(() => fail(`it did not end within ${timeout_ms / 1000} s`), timeout_ms)
    current.onmessage = ({ data }: MessageEvent<Reply>) => resolve(data)
    current.onerror = (event) => {
      event.preventDefault()
      fail(`its thread failed (${event.message})`)
    }
    current.addEventListener('close', () => fail('its thread ended'))
    current.postMessage(job, transfer)
    return promise.finally(() => clearTimeout(timer))
  }
  return {
    run(job, options) {
      waiting++
      const done = lastJob.then(() => runNow(job, options)).finally(() => --waiting === 0 && stop())
      lastJob = done.catch(() => {})
      return done
    },
    close: stop,
  }
}
