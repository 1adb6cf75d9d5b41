import { createJobWorker, type JobOptions, type JobWorker } from './job-worker.ts'

/** Runs jobs of several accounts in worker threads, so that one account does not keep the others waiting. */
export type JobPool<Job, Reply> = {
  /** Runs a job when its turn comes. @throws as `JobWorker` does. */
  run(account: string, job: Job, options: JobOptions): Promise<Reply>
  close(): void
}

type WaitingJob<Job, Reply> = (worker: JobWorker<Job, Reply>) => Promise<void>

/**
 * Creates a pool of up to `threads` worker threads. An account has its jobs done one after the other, and more of them
 * at once only while another thread stays free. Accounts take turns.
 */
export function createJobPool<Job, Reply>(
  startWorker: () => Worker,
  { threads, idle_ms }: { threads: number; idle_ms: number },
): JobPool<Job, Reply> {
  const workers = Array.from({ length: threads }, () => createJobWorker<Job, Reply>(startWorker, idle_ms))
  const free = workers.toReversed()
  /** The waiting jobs of each account. The account whose turn is next is first. */
  const queues = new Map<string, WaitingJob<Job, Reply>[]>()
  const working = new Map<string, number>()

  return {
    run(account, job, options) {
      const { promise, resolve } = Promise.withResolvers<Reply>()
      const start: WaitingJob<Job, Reply> = (worker) => {
        const reply = worker.run(job, options)
        resolve(reply)
        return reply.then(
          () => undefined,
          () => undefined,
        )
      }
      queues.set(account, [...(queues.get(account) ?? []), start])
      startNext()
      return promise
    },
    close: () => workers.forEach((worker) => worker.close()),
  }

  function startNext(): void {
    for (let account = nextAccount(); account !== undefined; account = nextAccount()) {
      const [start, ...rest] = queues.get(account)!
      queues.delete(account)
      if (rest.length > 0) queues.set(account, rest)
      void runIn(free.pop()!, account, start!)
    }
  }

  function nextAccount(): string | undefined {
    if (free.length === 0) return undefined
    return [...queues.keys()].find((account) => free.length > 1 || !working.has(account))
  }

  async function runIn(worker: JobWorker<Job, Reply>, account: string, start: WaitingJob<Job, Reply>): Promise<void> {
    working.set(account, (working.get(account) ?? 0) + 1)
    await start(worker)
    const others = working.get(account)! - 1
    if (others > 0) working.set(account, others)
    else working.delete(account)
    free.push(worker)
    startNext()
  }
}
