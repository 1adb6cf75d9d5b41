import { RequestError } from './request-error.ts'

/** The state of a request to the API. */
export type RequestState<T> =
  { status: 'loading' } | { status: 'loaded'; value: T } | { status: 'failed'; error: RequestError }

/** Runs a request and returns its result or its error. Any other exception is a bug and is rethrown. */
export async function runRequest<T>(send: () => Promise<T>): Promise<RequestState<T>> {
  try {
    return { status: 'loaded', value: await send() }
  } catch (error) {
    if (error instanceof RequestError) return { status: 'failed', error }
    throw error
  }
}
