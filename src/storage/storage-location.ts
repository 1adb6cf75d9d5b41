/** A folder of a web server. `url` ends with a slash. */
export type WebLocation = { kind: 'web'; url: string }

/** A prefix of an S3 bucket. `prefix` is empty or ends with a slash. */
export type S3Location = {
  kind: 's3'
  bucket: string
  prefix: string
  endpoint: string
  region: string
  /** A function, so that printing the configuration shows no key. */
  credentials(): S3Credentials
}

/** Where files are stored, if not in a local folder. */
export type StorageLocation = WebLocation | S3Location

/** The keys of an S3 account. */
type S3Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string }

type Variables = Record<string, string | undefined>

/** Whether the value of a setting names storage, and not a local folder. */
export function isStorageUrl(text: string): boolean {
  return /^(?:s3|https?):\/\//i.test(text)
}

/** The location, or what is wrong with it. */
type ReadLocation = { location: StorageLocation } | { problem: string }

/**
 * Reads the URL of a location, and for S3 the usual variables of AWS. A problem is a sentence that begins with `name`,
 * the name of the setting. It never repeats the value, which may contain a password.
 */
export function readStorageLocation(name: string, text: string, variables: Variables): ReadLocation {
  const url = URL.parse(text)
  if (url?.protocol === 's3:') return readS3Location(name, text, variables)
  if (!url || !/^https?:$/.test(url.protocol))
    return { problem: `${name} is not a valid URL. Use s3://bucket/prefix or https://host/folder/.` }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    return { problem: `${name} has a user name, a password, a query or a fragment. Use https://host/folder/.` }
  return { location: { kind: 'web', url: url.href.replace(/\/*$/, '/') } }
}

function readS3Location(name: string, text: string, variables: Variables): ReadLocation {
  const [, bucket, path = ''] = /^s3:\/\/([a-z\d][\w.-]{1,62})((?:\/[\w.=+-]+)*)\/?$/i.exec(text) ?? []
  if (bucket === undefined || path.split('/').some((part) => /^\.+$/.test(part)))
    return { problem: `${name} is not a valid S3 location. Use s3://bucket or s3://bucket/prefix.` }
  const missing = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'].filter((variable) => !variables[variable])
  if (missing.length > 0) return { problem: `${name} needs the keys of the S3 account. Set ${missing.join(' and ')}.` }
  const region = variables.AWS_REGION || variables.AWS_DEFAULT_REGION || 'us-east-1'
  const endpoint = variables.AWS_ENDPOINT_URL_S3 || variables.AWS_ENDPOINT_URL || `https://s3.${region}.amazonaws.com`
  const parsed = URL.parse(endpoint)
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username !== '' || parsed.search !== '')
    return {
      problem: 'AWS_ENDPOINT_URL is not a valid URL. Use the URL of the S3 service, such as https://s3.example.',
    }
  const credentials: S3Credentials = {
    accessKeyId: variables.AWS_ACCESS_KEY_ID!,
    secretAccessKey: variables.AWS_SECRET_ACCESS_KEY!,
    ...(variables.AWS_SESSION_TOKEN && { sessionToken: variables.AWS_SESSION_TOKEN }),
  }
  const prefix = path === '' ? '' : `${path.slice(1)}/`
  return {
    location: {
      kind: 's3',
      bucket,
      prefix,
      endpoint: endpoint.replace(/\/$/, ''),
      region,
      credentials: () => credentials,
    },
  }
}

/** The location in words, without secrets. */
export function nameOfLocation(location: StorageLocation): string {
  return location.kind === 'web' ? location.url : `s3://${location.bucket}/${location.prefix}`
}

/** The host of the files. */
export function hostOfLocation(location: StorageLocation): string {
  return new URL(location.kind === 'web' ? location.url : location.endpoint).host
}
