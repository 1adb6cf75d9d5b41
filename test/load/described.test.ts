import { expect, test } from 'bun:test'
import { described } from '../../scripts/soak/interface.ts'

test('requests made from the description of the interface, most of them spoilt, are answered as described and never with a fault of ours', async () => {
  const findings = await described(1_000)
  // The short form leaves out what is a time: the machine of a test has other work.
  expect(findings.filter(({ pass, figure }) => !pass && !figure.includes(' ms'))).toEqual([])
}, 120_000)
