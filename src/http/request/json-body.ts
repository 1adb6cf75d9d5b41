import type { Static, TSchema } from '@sinclair/typebox'
import { TypeCompiler, type TypeCheck } from '@sinclair/typebox/compiler'
import type { TaskSteps } from '../../async/incremental-task.ts'
import type { MaybePromise } from '../../async/maybe-promise.ts'
import { ValidationError, type Violation } from '../../model/error.ts'
import { removeNullMembers, isRecord } from '../../model/record.ts'
import {
  bodyJson,
  bodyMax_bytes,
  declaredSize_bytes,
  receiveBody,
  receiveSmallBody,
  requireJsonBody,
  tinyBodyJson,
  tinyBodyMax_bytes,
  type BodyPiece,
} from './body.ts'
import { accountOf, bodyQueueOf } from './guard.ts'
import { readJson, readWholeJson } from '../../async/read-json.ts'
import { violationsOf, withInputs } from './violations.ts'

/** Checks that a JSON Schema cannot express. They run only on bodies that are objects. */
export type BodyRule = (body: Record<string, unknown>) => Violation[]

/** Returns a reader of JSON bodies of a schema. It throws a ValidationError with all violations at once. */
export function createBodyReader<S extends TSchema>(
  schema: S,
  rules: BodyRule,
): (request: Request) => Promise<Static<S>> {
  const answerBody = createBodyAnswerer(schema, rules)
  return (request) => answerBody(request, (body) => body)
}

/** Does the same for a route, and answers the body. */
export function createBodyAnswerer<S extends TSchema>(schema: S, rules: BodyRule) {
  const check = createBodyCheck(schema, rules)
  const parse = createStepParser(schema, check)
  return <T>(request: Request, answer: (body: Static<S>) => MaybePromise<T>): Promise<T> => {
    requireJsonBody(request)
    if (declaredSize_bytes(request) <= tinyBodyMax_bytes)
      return receiveSmallBody(request).then((body) => answerChecked(check(readWholeJson(body, tinyBodyJson)), answer))
    const queue = bodyQueueOf(request)
    const read = () =>
      receiveBody(request, bodyMax_bytes).then((chunks) => queue.runSteps(() => parse(chunks), sizeOf_bytes(chunks)))
    return queue.run(request, accountOf(request).id, read).then((body) => answerChecked(body, answer))
  }
}

/** Answers a body. A violation that is found while it is answered has its input too. */
function answerChecked<Body, T>(body: Body, answer: (body: Body) => MaybePromise<T>): MaybePromise<T> {
  try {
    const answered = answer(body)
    if (!(answered instanceof Promise)) return answered
    return answered.catch((error: unknown) => {
      throw withInputs(error, body)
    })
  } catch (error) {
    throw withInputs(error, body)
  }
}

/** Returns the same check, in steps, for chunks that are already received. */
export function createBodyParser<S extends TSchema>(
  schema: S,
  rules: BodyRule,
): (chunks: BodyPiece[]) => TaskSteps<Static<S>> {
  return createStepParser(schema, createBodyCheck(schema, rules))
}

function createStepParser<S extends TSchema>(
  schema: S,
  check: BodyCheck<S>,
): (chunks: BodyPiece[]) => TaskSteps<Static<S>> {
  return function* (chunks) {
    const body = yield* readJson(chunks, schema, bodyJson)
    yield
    return check(body)
  }
}

type BodyCheck<S extends TSchema> = (value: unknown) => Static<S>

/** The schema is compiled with the first body: compiling all of them would take a tenth of a start. */
function createBodyCheck<S extends TSchema>(schema: S, rules: BodyRule): BodyCheck<S> {
  let validator: TypeCheck<S> | undefined
  return (value) => {
    validator ??= TypeCompiler.Compile(schema)
    const body = removeNullMembers(schema, value)
    const ruleViolations = isRecord(body) ? rules(body) : []
    if (ruleViolations.length === 0 && validator.Check(body)) return body
    throw new ValidationError(violationsOf(validator, body, ruleViolations))
  }
}

/** Returns the size of received chunks. */
export function sizeOf_bytes(chunks: BodyPiece[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0)
}
