import { describe, expect, test } from 'bun:test'
import { isMark, isPlaceholder } from '../../src/model/placeholder.ts'

describe('no value of any publisher is', () => {
  test.each([
    5e-324,
    -1e-40,
    2 ** -126,
    '5e-324',
    'ERROR: relation "zones" does not exist',
    'Error 500: no rows',
    'ORA-01017: invalid username/password; logon denied',
    'java.lang.NullPointerException',
    'System.Data.SqlClient.SqlException (0x80131904): Execution failed',
    'TypeError: x is not a function',
    'Traceback (most recent call last):',
    'Error performing query operation',
    'Failed to execute query.',
    'Unable to complete operation.',
    'An unexpected error occurred processing the request.',
    'Internal Server Error',
    '500 Internal Server Error',
    'The service is temporarily unavailable.',
    'The requested resource could not be found',
    'Connection timed out',
    'read ECONNRESET: Connection reset by peer',
    'Rate limit exceeded',
  ])('%p', (value) => expect(isPlaceholder(value)).toBe(true))
})

describe('a value can be', () => {
  test.each([
    0,
    -0,
    1e-30,
    -1e-30,
    '0.0',
    'Terror Creek',
    'Error Lake',
    'Exception Basin',
    'The Service Station',
    'Timeout Bar',
    'Unable Slough',
    'Failed Levee Reach 2',
    'Temporarily Unavailable',
    'Service unavailable',
    'US-12345: Main Line',
  ])('%p', (value) => expect(isPlaceholder(value)).toBe(false))
})

test.each([
  ['--', true],
  ['?', true],
  ['\ufffd\u0000', true],
  ['A', false],
  ['-1', false],
  ['é', false],
  [0, false],
  ['', false],
])('%p is a mark alone: %p', (value, expected) => expect(isMark(value)).toBe(expected))
