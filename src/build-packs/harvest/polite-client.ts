import { harvestConcurrency } from '../../drivers/harvest.ts'
import { UpstreamError, type UpstreamCode } from '../../model/error.ts'
import type { Budget } from '../../model/source.ts'
import { decodeTextBody, readJsonBody } from '../../net/content.ts'
import { hostAbortError } from '../../net/host-abort.ts'
import type { Call, HttpClient, Reply } from '../../net/http-client.ts'
import type { HostAnswers } from './host-answers.ts'

/** What a polite client needs. */
export type PoliteClientOptions = {
  wait: (ms: number) => Promise<void>
  /** Receives the size of each answer. */
  onReply: (host: string, bytes: number) => void
  /** Receives the error of a request that is repeated later, if the wait is not short. */
  onWait?: (error: UpstreamError, wait_ms: number) => void
  /** Stops asking hosts that do not answer. Questions about sizes and dates are repeated only once, after a second. */
  answers?: HostAnswers
  /** Resolves when a request may be sent. */
  waitForCopyHours?: (signal: AbortSignal) => Promise<void>
}

/**
 * Returns a client for many requests to one publisher. It sends at most two at a time to a host, with a pause after
 * each, waits as long as a host asks it to, and repeats requests that failed for a temporary reason. A request that is too
 * slow is repeated once: its caller can ask for less.
 */
export function createPoliteClient(
  client: Pick<HttpClient, 'send' | 'health'>,
  { wait, onReply, onWait, answers, waitForCopyHours }: PoliteClientOptions,
): HttpClient {
  const isCopy = (answers?.purpose ?? 'copy') === 'copy'
  const timeout_ms = isCopy ? requestTimeout_ms : plannedTimeout_ms
  const pausesAfter = isCopy ? pausesOfCopy : pausesOfQuestion
  const queues = new Map<string, { active: number; waiting: (() => void)[] }>()
  const send = (call: Call, budget: Budget) => sendWhenFree(call, budget, (reply) => reply)
  return {
    send,
    fetchJson: (call, budget) => sendWhenFree(call, budget, readJsonBody),
    fetchText: (call, budget) => sendWhenFree(call, budget, (reply) => decodeTextBody(reply, call.encoding)),
    health: (host) => client.health(host),
    close() {},
  }

  async function sendWhenFree<T>(
    call: Call,
    budget: Budget,
    read: (reply: Reply, host: string) => T | Promise<T>,
  ): Promise<T> {
    const { host } = new URL(call.url)
    const release = await waitForSlot(host)
    try {
      const sendCall = () => sendWithRetries(call, host, budget, read)
      return await (answers ? answers.run(host, sendCall) : sendCall())
    } finally {
      // The pause delays only the next request.
      void wait(pause_ms).then(release)
    }
  }

  async function sendWithRetries<T>(
    call: Call,
    host: string,
    budget: Budget,
    read: (reply: Reply, host: string) => T | Promise<T>,
  ): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      await waitForCopyHours?.(budget.signal)
      try {
        const signal = AbortSignal.any([budget.signal, AbortSignal.timeout(timeout_ms)])
        const request = { ...call, hedge: false, deduplicate: false, cap_bytes: replyMax_bytes }
        const reply = await client.send(request, { ...budget, signal })
        onReply(host, reply.bytes.length)
        return await read(reply, host)
      } catch (error) {
        if (budget.signal.aborted) throw hostAbortError(budget.signal, host)
        if (!(error instanceof UpstreamError) || !error.retryable) throw error
        const next_ms = pausesAfter(error.code)[attempt]
        if (next_ms === undefined) throw error
        if (next_ms >= reportedPause_ms) onWait?.(error, next_ms)
        await wait(next_ms)
        if (budget.signal.aborted) throw hostAbortError(budget.signal, host)
      }
    }
  }

  async function waitForSlot(host: string): Promise<() => void> {
    const queue = queues.get(host) ?? { active: 0, waiting: [] }
    queues.set(host, queue)
    if (queue.active >= harvestConcurrency) await new Promise<void>((resolve) => queue.waiting.push(resolve))
    else queue.active++
    return () => {
      const next = queue.waiting.shift()
      if (next) next()
      else queue.active--
    }
  }
}

/** Between two requests to a host. */
const pause_ms = 100
const requestTimeout_ms = 120_000
/** How long a question about a size or a date waits for an answer. */
export const plannedTimeout_ms = 20_000
const replyMax_bytes = 64 * 1024 * 1024
/** In all a little more than an hour, the longest time that a host can ask for. */
const rateLimitPauses_ms = [1_000, 5_000, 15_000, 30_000, ...Array.from({ length: 60 }, () => 60_000)]
/** Shorter pauses are not worth a message. */
const reportedPause_ms = 5_000
const transientPauses_ms = [1_000, 5_000, 20_000, 60_000, 120_000]

/** How long a question waits before each further attempt. It does not wait for a host that limits requests. */
function pausesOfQuestion(code: UpstreamCode): readonly number[] {
  return code === 'connection_failed' || code === 'upstream_5xx' ? transientPauses_ms.slice(0, 1) : []
}

/** How long a copy waits before each further attempt. */
function pausesOfCopy(code: UpstreamCode): readonly number[] {
  if (code === 'rate_limited' || code === 'quota_exhausted') return rateLimitPauses_ms
  return code === 'timeout' || code === 'upstream_5xx' ? transientPauses_ms.slice(0, 1) : transientPauses_ms
}
