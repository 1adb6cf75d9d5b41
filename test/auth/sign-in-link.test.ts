import { expect, test } from 'bun:test'
import { createSignInLink } from '../../src/auth/sign-in-link.ts'
import { secureRandomBytes } from '../../src/auth/token.ts'

function linkAt(start: Date) {
  const clock = { now: start }
  const link = createSignInLink({ now: () => clock.now, randomBytes: secureRandomBytes })
  return { link, pass: (minutes: number) => (clock.now = new Date(clock.now.getTime() + minutes * 60_000)) }
}

test('a code works once, within 10 minutes', () => {
  const { link, pass } = linkAt(new Date('2026-03-01T00:00:00Z'))
  const code = link.createCode()
  pass(9.9)
  expect([link.redeem(`${code}x`), link.redeem(code), link.redeem(code)]).toEqual([false, true, false])
  const late = link.createCode()
  pass(10)
  expect(link.redeem(late)).toBe(false)
})

test('a new code replaces the one before', () => {
  const { link } = linkAt(new Date())
  const [first, second] = [link.createCode(), link.createCode()]
  expect([link.redeem(first), link.redeem(second)]).toEqual([false, true])
})

test('without a code, nothing is accepted', () => expect(linkAt(new Date()).link.redeem('')).toBe(false))
