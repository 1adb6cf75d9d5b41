import { join } from 'node:path'
import { presets } from '../../catalog/contents.ts'
import { openTestService, type TestService } from '../../test/support/test-service.ts'
import type { Point } from '../../src/model/place.ts'
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
  /** Returns a warm service with nothing cached for the measured places. */
  testService(env?: Record<string, string>): Promise<TestService>
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

  async function testService(env: Record<string, string> = {}): Promise<TestService> {
    const opened = openTestService({ FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: url, ...testKeys, ...env })
    await answeredAt(opened, testPlaces.paradise)
    // The latency statistics must match the measured delay. Otherwise calls would be hedged.
    await report({ do: 'delay', ms: sourceDelay_ms })
    await answeredAt(opened, testPlaces.new_orleans)
    await report({ do: 'delay', ms: 0 })
    Bun.gc(true)
    return opened
  }
}

/** The delay of every source during measurements. */
export const sourceDelay_ms = 50

/** Requests all presets at a place that is not measured. */
async function answeredAt(testService: TestService, at: Point): Promise<void> {
  for (const preset of Object.keys(presets)) await testService.post('/v1/fetch', { ...at, preset })
}
