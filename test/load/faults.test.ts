import { expect, test } from 'bun:test'
import { everyRow } from '../../scripts/soak/faults.ts'
import { transport } from '../../scripts/soak/transport.ts'

test('every way in which a source can fail is told as what it is by the real process, in little memory', async () => {
  const findings = await everyRow(1)
  // The short form leaves out what is a time: the machine of a test has other work.
  expect(findings.filter(({ pass, target }) => !pass && !target.endsWith(' ms'))).toEqual([])
}, 120_000)

test('a certificate that is not good, a name that is not there, and a port that is closed or silent are told as what they are', async () => {
  expect((await transport()).filter(({ pass }) => !pass)).toEqual([])
}, 120_000)
