import { join } from 'node:path'
import { presets } from '../../catalog/contents.ts'
import { openTestService, type TestService } from '../../test/support/test-service.ts'
import type { Point } from '../../src/model/place.ts'
import { testKeys } from '../../test/upstreams/online-service.ts'
import { places } from '../../test/upstreams/places.ts'
import { until } from './child.ts'

/** A call as the stand-in heard it, by its own clock. */
export type Heard = { host: string; path: string; begun_ms: number; ended_ms: number }
/** What was answered and, with what was only received (a hanging host answers nothing), the host of every call. */
type Message = { calls: Heard[]; received: string[]; unknown: string[] }
/** What the stand-in may be told to do; `tell` also lets it forget what it has heard. */
export type Order = { do: 'delay'; ms: number } | { do: 'hang' | 'break'; host: string } | { do: 'heal' | 'tell' }

/** The upstream world in a process of its own, so that its work is not on our clock, and houses that ask it. */
export type StandIn = {
  url: string
  report(order: Order): Promise<Message>
  /** A service that runs: it has answered elsewhere, and nothing is kept of the places where figures are taken. */
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
  const url = (await until(child.stdout, '\n')).trim()
  return { url, report, testService, close: () => child.kill() }

  function report(order: Order): Promise<Message> {
    return new Promise((resolve) => {
      heard = resolve
      child.send(order)
    })
  }

  async function testService(env: Record<string, string> = {}): Promise<TestService> {
    const opened = openTestService({ FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: url, ...testKeys, ...env })
    await opened.app.embedded.warm()
    await answeredAt(opened, places.paradise)
    // Once in the time that is usual later: who answered faster than that would be asked twice.
    await report({ do: 'delay', ms: usual_ms })
    await answeredAt(opened, places.new_orleans)
    await report({ do: 'delay', ms: 0 })
    Bun.gc(true)
    return opened
  }
}

/** How long every source takes where a figure is measured. */
export const usual_ms = 50

/** No figure is taken here. */
async function answeredAt(testService: TestService, at: Point): Promise<void> {
  for (const preset of Object.keys(presets)) await testService.post('/v1/fetch', { ...at, preset })
}
