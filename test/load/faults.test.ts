import { expect, test } from 'bun:test'
import { everyRow } from '../../scripts/soak/faults.ts'
import { testTransport } from '../../scripts/soak/transport.ts'

test('the real process reports every failure of a source with the right code, and its memory stays bounded', async () => {
  const findings = await everyRow(1)
  // The short form checks no times, because test machines are busy.
  expect(findings.filter(({ pass, target }) => !pass && !target.endsWith(' ms'))).toEqual([])
}, 120_000)

test('an invalid certificate, an unknown host name, and a closed or silent port are reported with the right code', async () => {
  expect((await testTransport()).filter(({ pass }) => !pass)).toEqual([])
}, 120_000)
