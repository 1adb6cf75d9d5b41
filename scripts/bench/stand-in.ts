import { join } from 'node:path'
import { presets } from '../../catalog/contents.ts'
import { fieldsPerRequestMax } from '../../src/catalog/records.ts'
import type { BatchAnswer, FetchAnswer } from '../../src/fetch/fetch-answer.ts'
import type { Point } from '../../src/model/place.ts'
import { openTestService, type TestService } from '../../test/support/test-service.ts'
import { testKeys } from '../../test/upstreams/online-service.ts'
import { testPlaces } from '../../test/upstreams/test-places.ts'
import { readUntilWord } from './child.ts'

/** A call that the stand-in received, timed by its own clock. */
export type ReceivedCall = { host: string; path: string; begun_ms: number; ended_ms: number }
/** The answered calls, and the hosts of all received calls (a hanging host answers none). */
type Message = { calls: ReceivedCall[]; received: string[]; unknown: string[] }
/** A command for the stand-in. Every command returns a report; `tell` also clears the recorded calls. */
export type StandInCommand =
  { do: 'delay'; ms: number } | { do: 'hang' | 'break'; host: string } | { do: 'heal' | 'tell' }

/**
 * The simulated upstreams in their own process, so that their work is not measured, and test services that call them.
 */
export type StandIn = {
  url: string
  report(order: StandInCommand): Promise<Message>
  /** Returns a service that is warm for these presets, by default all, with nothing cached for the measured places. */
  testService(env?: Record<string, string>, warmPresets?: string[]): Promise<TestService>
  close(): void
}

export async function openStandIn(): Promise<StandIn> {
  let heard: ((message: Message) => void) | null = null
  const child = Bun.spawn([process.execPath, '--no-env-file', join(import.meta.dir, 'upstreams.ts')], {
    stdout: 'pipe',
    stderr: 'inherit',
    ipc: (message: Message) => heard?.(message),
  })
  const url = (await readUntilWord(child.stdout, '\n')).trim()
  return { url, report, testService, close: () => child.kill() }

  function report(order: StandInCommand): Promise<Message> {
    return new Promise((resolve) => {
      heard = resolve
      child.send(order)
    })
  }

  async function testService(env: Record<string, string> = {}, names = Object.keys(presets)): Promise<TestService> {
    const opened = openTestService({ FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: url, ...testKeys, ...env })
    await fetchPresets(opened, testPlaces.paradise, names)
    // The latency statistics must match the measured delay. Otherwise calls would be hedged.
    await report({ do: 'delay', ms: sourceDelay_ms })
    await fetchPresets(opened, testPlaces.new_orleans, names)
    await report({ do: 'delay', ms: 0 })
    Bun.gc(true)
    return opened
  }
}

/** The delay of every source during measurements. */
export const sourceDelay_ms = 50

async function fetchPresets(testService: TestService, at: Point, names: string[]): Promise<void> {
  for (const name of names) await fetchPreset(testService, at, name)
}

/**
 * Returns the answer of a preset at a place. A preset of more fields than a request may have is for batches, so it is
 * the batch of one location.
 */
export async function fetchPreset({ post }: TestService, at: Point, preset: string): Promise<FetchAnswer> {
  if (presets[preset]!.fields.length <= fieldsPerRequestMax)
    return readAnswer(await post('/v1/fetch', { ...at, preset }))
  const { results } = await readAnswer<BatchAnswer>(await post('/v1/fetch/batch', { locations: [at], preset }))
  const [result] = results
  if (!result?.ok) throw new Error(`The service answered ${JSON.stringify(result)}`)
  return result
}

/** @throws if the service rejected the request. */
export async function readAnswer<Answer = FetchAnswer>(response: Response): Promise<Answer> {
  if (!response.ok) throw new Error(`The service answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as Answer
}
