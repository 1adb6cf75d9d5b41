import { describe, expect, test } from 'bun:test'
import { inspect } from 'node:util'
import { configOf } from '../../src/config.ts'

const keys = { AWS_ACCESS_KEY_ID: 'an-access-key', AWS_SECRET_ACCESS_KEY: 'a-secret-key' }
const storageOf = (packs: string, env: Record<string, string> = keys) =>
  configOf({ FIELDSTONE_PACKS: packs, ...env }).pack_storage
const problemOf = (packs: string, env: Record<string, string> = keys) => {
  try {
    return inspect(storageOf(packs, env))
  } catch (error) {
    return (error as Error).message
  }
}

describe('FIELDSTONE_PACKS', () => {
  test('can be a local folder', () => {
    expect(configOf({ FIELDSTONE_PACKS: '/srv/packs' })).toMatchObject({ packs: '/srv/packs', pack_storage: null })
  })

  test('can be a prefix of an S3 bucket, in the default region of AWS', () => {
    expect(storageOf('s3://gis-packs/us/west/')).toMatchObject({
      kind: 's3',
      bucket: 'gis-packs',
      prefix: 'us/west/',
      region: 'us-east-1',
      endpoint: 'https://s3.us-east-1.amazonaws.com',
    })
    expect(storageOf('s3://gis-packs')).toMatchObject({ prefix: '' })
  })

  test('uses the region and the endpoint of the AWS variables', () => {
    const env = { ...keys, AWS_DEFAULT_REGION: 'a', AWS_REGION: 'b', AWS_ENDPOINT_URL: 'https://s3.example/' }
    expect(storageOf('s3://gis-packs', env)).toMatchObject({ region: 'b', endpoint: 'https://s3.example' })
    const both = { ...env, AWS_ENDPOINT_URL_S3: 'http://10.0.0.1:9000' }
    expect(storageOf('s3://gis-packs', both)).toMatchObject({ endpoint: 'http://10.0.0.1:9000' })
  })

  test('can be a folder of a web server', () => {
    expect(storageOf('https://files.example/packs', {})).toEqual({ kind: 'web', url: 'https://files.example/packs/' })
  })

  test('keeps the packs that commands build in the data folder', () => {
    expect(configOf({ FIELDSTONE_PACKS: 'https://files.example/', FIELDSTONE_DATA: '/srv/data' }).packs).toBe(
      '/srv/data/packs',
    )
  })

  test('never shows a key, a password or a signature', () => {
    const password = 'a-password'
    const shown = [
      inspect(configOf({ FIELDSTONE_PACKS: 's3://gis-packs', ...keys, AWS_SESSION_TOKEN: 'a-session-token' })),
      problemOf('s3://gis-packs', { AWS_SECRET_ACCESS_KEY: 'a-secret-key' }),
      problemOf(`https://me:${password}@files.example/packs/`),
      problemOf('https://files.example/packs/?sig=a-signature'),
      problemOf('s3://gis-packs', { ...keys, AWS_ENDPOINT_URL: `https://me:${password}@s3.example` }),
    ].join('\n')
    for (const secret of ['a-secret-key', 'an-access-key', 'a-session-token', 'a-password', 'a-signature'])
      expect(shown).not.toContain(secret)
  })

  const problems: [packs: string, env: Record<string, string>, message: string][] = [
    [
      's3://gis-packs',
      {},
      'FIELDSTONE_PACKS needs the keys of the S3 account. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    ],
    [
      's3://gis-packs',
      { AWS_ACCESS_KEY_ID: 'x' },
      'FIELDSTONE_PACKS needs the keys of the S3 account. Set AWS_SECRET_ACCESS_KEY.',
    ],
    ['s3://', keys, 'FIELDSTONE_PACKS is not a valid S3 location.'],
    ['s3://gis-packs/../other', keys, 'FIELDSTONE_PACKS is not a valid S3 location.'],
    ['s3://gis-packs/a?b', keys, 'FIELDSTONE_PACKS is not a valid S3 location.'],
    ['https://', keys, 'FIELDSTONE_PACKS is not a valid URL.'],
    ['https://me@files.example/', keys, 'FIELDSTONE_PACKS has a user name'],
    ['s3://gis-packs', { ...keys, AWS_ENDPOINT_URL: 'ftp://s3.example' }, 'AWS_ENDPOINT_URL is not a valid URL.'],
  ]
  for (const [packs, env, message] of problems)
    test(`is rejected as ${packs} with ${Object.keys(env).join(', ') || 'no keys'}`, () => {
      expect(problemOf(packs, env)).toContain(message)
    })
})
