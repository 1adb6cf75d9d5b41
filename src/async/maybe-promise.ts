/** A result that is there already, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>

/** Passes a result on: at once, or when its promise resolves. */
export function andThen<T, R>(result: MaybePromise<T>, use: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return result instanceof Promise ? result.then(use) : use(result)
}

/** Joins results; returns a promise only if one of them is a promise. */
export function allOf<T>(results: MaybePromise<T>[]): MaybePromise<T[]> {
  return results.some((result) => result instanceof Promise) ? Promise.all(results) : (results as T[])
}

/** Work that yields each promise that it waits for. It does not wait for data that is in memory. */
export type Coroutine<T> = Generator<Promise<unknown>, T, unknown>

/** Waits for a result inside a coroutine: `const rows = yield* waitFor(source(query))`. */
export function waitFor<T>(result: MaybePromise<T>): Iterable<Promise<unknown>, T, unknown> {
  return result instanceof Promise ? waitForPromise(result) : new ReadyResult(result)
}

function* waitForPromise<T>(promise: Promise<T>): Coroutine<T> {
  return (yield promise) as T
}

/** An iterator that yields nothing and returns a result, in less time than a generator. It is its own only step. */
class ReadyResult<T> {
  readonly done = true
  readonly value: T

  constructor(value: T) {
    this.value = value
  }

  [Symbol.iterator](): this {
    return this
  }

  next(): this {
    return this
  }
}

/** Runs a coroutine. Returns its result, or a promise if it has to wait. An error before that is thrown at once. */
export function runCoroutine<T>(coroutine: Coroutine<T>): MaybePromise<T> {
  const { done, value } = coroutine.next()
  return done ? value : resume(coroutine, value)
}

async function resume<T>(coroutine: Coroutine<T>, first: Promise<unknown>): Promise<T> {
  let pending = first
  for (;;) {
    const { done, value } = await pending.then(
      (result) => coroutine.next(result),
      (error: unknown) => coroutine.throw(error),
    )
    if (done) return value
    pending = value
  }
}
