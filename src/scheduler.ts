import { Cron } from 'croner'
import type { Log } from './log.ts'
import { ApiError } from './model/error.ts'
import { isTemporaryStorageError } from './store/storage-error.ts'

type JobWork = () => void | Promise<void>

/**
 * Runs background jobs. A job that is still running is not started again. A failed job is logged as `job_failed`. If
 * the database was busy or a worker was lost, it is tried again after 30 seconds, else at its next time.
 */
export type Scheduler = {
  /** Runs a job once an hour, and immediately after the machine wakes from sleep. */
  runHourly(name: string, work: JobWork): void
  /** Runs a job that deletes expired data once an hour, and whenever `runRetention` is called. */
  addRetention(name: string, work: JobWork): void
  /** Runs all retention jobs. Resolves when they have ended, successfully or not. */
  runRetention(): Promise<void>
  /** Runs a job at the times of a cron pattern, in UTC. */
  runOnSchedule(name: string, pattern: string, work: JobWork): void
  /** The jobs that were due more than 15 minutes ago and have not succeeded since. */
  overdueJobs(): OverdueJob[]
  close(): void
}

/** A job that is overdue, and since when. */
type OverdueJob = { name: string; due_at: Date }

/**
 * `isFirstProcess`: whether this process does the work that one of several processes does for all: retention, and jobs
 * at the times of a cron pattern (default: true).
 */
type SchedulerOptions = { now?: () => Date; retryAfter_ms?: number; isFirstProcess?: boolean }

const defaultRetryAfter_ms = 30_000
const overdueAfter_ms = 15 * 60_000

/** Opens a scheduler without jobs. Closing it stops them; it does not wait for running ones. */
export function openScheduler(
  log: Log,
  { now = () => new Date(), retryAfter_ms = defaultRetryAfter_ms, isFirstProcess = true }: SchedulerOptions = {},
): Scheduler {
  const clocks = new Map<string, Clock>()
  const retentionJobs: Job[] = []
  const add = (name: string, work: JobWork, pattern: string) => {
    const clock = clocks.get(pattern) ?? new Clock(pattern)
    clocks.set(pattern, clock)
    const job = new Job({ name, work, log, now, retryAfter_ms }, clock)
    clock.jobs.push(job)
    return job
  }
  const jobs = () => [...clocks.values()].flatMap((clock) => clock.jobs)
  return {
    runHourly: (name, work) => void add(name, work, '@hourly'),
    addRetention(name, work) {
      if (isFirstProcess) retentionJobs.push(add(name, work, '@hourly'))
    },
    runRetention: async () => void (await Promise.all(retentionJobs.map((job) => job.run()))),
    runOnSchedule(name, pattern, work) {
      if (isFirstProcess) add(name, work, pattern)
    },
    overdueJobs: () => jobs().flatMap((job) => job.overdue()),
    close() {
      for (const { cron } of clocks.values()) cron.stop()
      for (const job of jobs()) job.stop()
    },
  }
}

/** The jobs of one cron pattern. Croner takes about a millisecond for each pattern, and many sources have a job. */
class Clock {
  readonly jobs: Job[] = []
  readonly cron: Cron

  constructor(pattern: string) {
    // An offset instead of a time zone: Croner computes time zones with Intl, which takes milliseconds to load.
    this.cron = new Cron(pattern, { unref: true, utcOffset: 0 }, () => this.jobs.forEach((job) => void job.run()))
  }
}

type JobDeps = { name: string; work: JobWork; log: Log; now: () => Date; retryAfter_ms: number }

class Job {
  readonly #deps: JobDeps
  readonly #clock: Clock
  #lastSuccess: Date
  /** The first time of the pattern after the last success; null: not computed yet, or never. */
  #due_at: Date | null = null
  #running: Promise<void> | null = null
  #retry: ReturnType<typeof setTimeout> | undefined

  constructor(deps: JobDeps, clock: Clock) {
    this.#deps = deps
    this.#clock = clock
    this.#lastSuccess = deps.now()
  }

  /** Runs the job, or waits for its end if it is running. Never rejects. */
  run(): Promise<void> {
    this.#running ??= this.#attempt().finally(() => (this.#running = null))
    return this.#running
  }

  overdue(): OverdueJob[] {
    const due_at = (this.#due_at ??= this.#clock.cron.nextRun(this.#lastSuccess))
    const isOverdue = due_at !== null && due_at.getTime() + overdueAfter_ms < this.#deps.now().getTime()
    return isOverdue ? [{ name: this.#deps.name, due_at }] : []
  }

  stop(): void {
    clearTimeout(this.#retry)
  }

  async #attempt(): Promise<void> {
    const { name, work, log, now, retryAfter_ms } = this.#deps
    clearTimeout(this.#retry)
    try {
      await work()
      this.#lastSuccess = now()
      this.#due_at = null
    } catch (error) {
      log.error('job_failed', { name, error })
      if (!isTemporary(error) || this.#clock.cron.isStopped()) return
      this.#retry = setTimeout(() => void this.run(), retryAfter_ms)
      this.#retry.unref()
    }
  }
}

function isTemporary(error: unknown): boolean {
  return isTemporaryStorageError(error) || (error instanceof ApiError && error.retryable)
}
