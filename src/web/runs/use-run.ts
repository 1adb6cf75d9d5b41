import { useCallback, useEffect, useState } from 'preact/hooks'
import type { RunProgress, RunSummary } from '../../runs/run-summary.ts'
import type { RunStatus } from '../../store/run-status.ts'
import { ApiFault } from '../api-fault.ts'
import type { Api } from '../api.ts'
import { asked, type Asked } from '../asked.ts'
import { serverEvents } from '../server-events.ts'
import { withSample, type Sample } from './pace.ts'
import { pause } from './pause.ts'
import { readSummary } from './read-run.ts'
import { isUnderWay } from './status-words.ts'

const reconnectAfter_ms = 2000

/** `isLost`: the connection broke, and is made anew. */
export type LiveRun = { run: RunSummary; samples: Sample[]; isLost: boolean }

/** A run as it goes: read once, then told by its events, over again when the connection breaks, and read once more at its end. */
export function useRun(api: Api, run_id: string): [Asked<LiveRun>, () => void] {
  const [live, setLive] = useState<Asked<LiveRun>>({ state: 'waiting' })
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    const given = new AbortController()
    const { signal } = given
    setLive({ state: 'waiting' })
    const change = (it: (before: LiveRun) => LiveRun) => {
      if (!signal.aborted)
        setLive((before) => (before.state === 'here' ? { state: 'here', value: it(before.value) } : before))
    }
    const read = async () => {
      const answer = await asked(() => readSummary(api, run_id, signal))
      if (!signal.aborted)
        setLive((before) =>
          answer.state === 'here'
            ? {
                state: 'here',
                value: {
                  run: answer.value,
                  samples: before.state === 'here' ? before.value.samples : [],
                  isLost: false,
                },
              }
            : answer,
        )
      return answer
    }
    const follow = async () => {
      const begun = await read()
      if (begun.state !== 'here' || !isUnderWay(begun.value)) return
      for (let seen = ''; !signal.aborted; await pause(reconnectAfter_ms, signal)) {
        const { last, isOver } = await listened(seen)
        seen = last
        if (isOver) return void (await read())
        change((before) => ({ ...before, isLost: true }))
      }
    }
    /** Hears the events until the last one, or until the connection breaks. */
    const listened = async (seen: string): Promise<{ last: string; isOver: boolean }> => {
      let last = seen
      try {
        const response = await api.send(`/v1/runs/${run_id}/events`, {
          signal,
          headers: seen === '' ? {} : { 'last-event-id': seen },
        })
        if (response.status === 204) return { last, isOver: true }
        // The last event is the whole document: its name is enough.
        for await (const { name, id, data } of serverEvents(response.body!, 'final')) {
          if (name === 'final') return { last, isOver: true }
          last = id
          const { status, progress } = JSON.parse(data) as { status: RunStatus; progress: RunProgress }
          change(({ run, samples }) => ({
            run: { ...run, status, progress },
            samples: withSample(samples, { at_ms: performance.now(), done: progress.done }),
            isLost: false,
          }))
        }
      } catch (error) {
        const isOfTheWay = error instanceof TypeError || (error instanceof ApiFault && error.retryable)
        if (!isOfTheWay && !signal.aborted) throw error
      }
      return { last, isOver: false }
    }
    follow().catch((error: unknown) => {
      if (signal.aborted) return
      if (!(error instanceof ApiFault)) throw error
      setLive({ state: 'failed', fault: error })
    })
    return () => given.abort()
  }, [api, run_id, turn])
  return [live, useCallback(() => setTurn((it) => it + 1), [])]
}
