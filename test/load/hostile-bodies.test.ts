import { join } from 'node:path'
import { expect, test } from 'bun:test'
import { readUntilWord } from '../../scripts/bench/child.ts'
import { bodyInputs, type BodyInput } from '../../scripts/soak/body-inputs.ts'
import type { MeasuredProcess } from '../../scripts/soak/bounded-work.ts'
import { measureBodies, soakHostileBodies } from '../../scripts/soak/hostile-bodies.ts'
import { measureSlowSubmissions, soakSlowSubmissions } from '../../scripts/soak/slow-submissions.ts'

/** The short form checks no times, because test machines are busy. */
const isTime = ({ target }: { target: string }) => target.endsWith(' ms')

/** Runs work against a process with planted faults. */
async function withFaultyProcess<T>(script: string, work: (it: MeasuredProcess) => Promise<T>): Promise<T> {
  const path = join(import.meta.dir, '..', '..', 'scripts', 'soak', script)
  const child = Bun.spawn([process.execPath, '--no-env-file', path], { stdout: 'pipe' })
  try {
    return await work({ url: new URL((await readUntilWord(child.stdout, '\n')).trim()), pid: child.pid })
  } finally {
    child.kill('SIGKILL')
  }
}

test('hostile bodies are answered in bounded memory', async () => {
  const inputs = bodyInputs.filter((_input, i) => i % 4 === 0)
  const findings = await soakHostileBodies(1 / 20, inputs, 1)
  expect(findings.length).toBeGreaterThanOrEqual(2 * inputs.length)
  expect(findings.filter((it) => !it.pass && !isTime(it))).toEqual([])
}, 120_000)

test('the suite of hostile bodies sees a process that takes memory, and one that blocks', async () => {
  const input = (path: string): BodyInput => ({ ...bodyInputs[0]!, path })
  const [memory, , , pause] = await withFaultyProcess('misbehaving-service.ts', (it) =>
    measureBodies(it, 1 / 1000, [input('/allocate'), input('/block')], 1),
  )
  expect(memory).toMatchObject({ figure: expect.stringContaining('memory') as string, pass: false })
  expect(pause).toMatchObject({ figure: expect.stringContaining('pause') as string, pass: false })
})

test('slow submissions of one account delay no other account', async () => {
  const findings = await soakSlowSubmissions(8, 2)
  // Slow submissions get their answers after the grace period, which the short form does not wait for.
  expect(findings.filter((it) => !it.pass && !isTime(it) && !it.figure.includes('without an answer'))).toEqual([])
})

test('the suite of slow senders sees an intake that buffers, is unfair, and waits forever', async () => {
  const findings = await withFaultyProcess('unbounded-body-server.ts', (it) =>
    measureSlowSubmissions(it, { slow: 'a', other: 'b' }, { senders: 12, seconds: 2 }),
  )
  const failed = findings.filter(({ pass }) => !pass).map(({ figure }) => figure)
  expect(failed).toEqual(
    expect.arrayContaining([
      'share of submissions of another account accepted meanwhile',
      'slow submissions without an answer after 2 s',
      'memory above the level before: 12 submissions of runs that wait for a slot',
    ]),
  )
})
