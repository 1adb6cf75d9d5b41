import { Cron, type CronOptions } from 'croner'
import type { Log } from './log.ts'

/** Runs background jobs. A job that is still running is not started again. A failed job is logged as `job_failed`. */
export type Scheduler = {
  /** Runs a job once an hour, and immediately after the machine wakes from sleep. */
  runHourly(name: string, work: () => void | Promise<void>): void
  /** Runs a job at the times of a cron pattern, in UTC. */
  runOnSchedule(name: string, pattern: string, work: () => void | Promise<void>): void
  close(): void
}

/** Opens a scheduler without jobs. Closing it stops them; it does not wait for running ones. */
export function openScheduler(log: Log): Scheduler {
  const jobs: Cron[] = []
  const schedule = (name: string, pattern: string, options: CronOptions, work: () => void | Promise<void>) =>
    void jobs.push(
      new Cron(
        pattern,
        { protect: true, unref: true, catch: (error) => log.error('job_failed', { name, error }), ...options },
        work,
      ),
    )
  return {
    runHourly: (name, work) => schedule(name, '@hourly', {}, work),
    runOnSchedule: (name, pattern, work) => schedule(name, pattern, { timezone: 'UTC' }, work),
    close: () => jobs.forEach((job) => job.stop()),
  }
}
