/** Runs jobs in a worker thread, one after the other. Without a job, the worker ends and frees its memory. */
export type JobWorker<Job, Reply> = {
  /**
   * A job whose signal aborts before its turn is not started.
   * @throws JobTimeoutError if the worker does not reply in time, and JobWorkerError if it fails or ends.
   */
  run(job: Job, options: JobOptions): Promise<Reply>
  close(): void
}

/** `onStart` is called when the turn of the job comes. */
export type JobOptions = { timeout_ms: number; transfer?: ArrayBuffer[]; signal?: AbortSignal; onStart?: () => void }

/** The worker did not reply. The message continues the sentence "The job failed:". */
export class JobWorkerError extends Error {}

/** The worker did not reply in time. */
export class JobTimeoutError extends JobWorkerError {}

/** Creates the runner. The worker replies to each message with one message, and waits `idle_ms` for the next one. */
export function createJobWorker<Job, Reply>(startWorker: () => Worker, idle_ms = 0): JobWorker<Job, Reply> {
  let worker: Worker | null = null
  let lastJob: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let idle: ReturnType<typeof setTimeout> | undefined
  const stop = () => {
    clearTimeout(idle)
    const stopped = worker
    worker = null
    stopped?.terminate()
  }
  const stopWhenIdle = () => {
    if (idle_ms === 0) stop()
    else idle = setTimeout(stop, idle_ms).unref()
  }
  const start = () => {
    const started = startWorker()
    // A thread can end while it is idle.
    started.addEventListener('close', () => worker === started && stop())
    return started
  }
  const runNow = (job: Job, { timeout_ms, transfer = [], signal, onStart }: JobOptions) => {
    signal?.throwIfAborted()
    onStart?.()
    const current = (worker ??= start())
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    const fail = (error: JobWorkerError) => {
      if (worker === current) stop()
      reject(error)
    }
    const onTimeout = () => fail(new JobTimeoutError(`it did not end within ${timeout_ms / 1000} s`))
    const timer = setTimeout(onTimeout, timeout_ms)
    current.onmessage = ({ data }: MessageEvent<Reply>) => resolve(data)
    current.onerror = (event) => {
      event.preventDefault()
      fail(new JobWorkerError(`its thread failed (${event.message})`))
    }
    const onClose = () => fail(new JobWorkerError('its thread ended'))
    current.addEventListener('close', onClose)
    current.postMessage(job, transfer)
    return promise.finally(() => {
      clearTimeout(timer)
      current.removeEventListener('close', onClose)
    })
  }
  return {
    run(job, options) {
      waiting++
      clearTimeout(idle)
      const done = lastJob.then(() => runNow(job, options)).finally(() => --waiting === 0 && stopWhenIdle())
      lastJob = done.catch(() => {})
      return done
    },
    close: stop,
  }
}

/** The buffers in a list or an object, to move to another thread. A small `Buffer` shares its memory: it is copied. */
export function buffersOf(message: object): ArrayBuffer[] {
  return Object.values(message).flatMap((it: unknown) => {
    const buffer = ArrayBuffer.isView(it) && it.byteLength === it.buffer.byteLength ? it.buffer : it
    return buffer instanceof ArrayBuffer ? [buffer] : []
  })
}
