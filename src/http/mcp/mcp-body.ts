import { ApiError, type ValidationError } from '../../model/error.ts'
import { bodyJson, bodyMax_bytes, mediaTypeOf, receiveBody, requireUncompressedBody } from '../request/body.ts'
import { accountOf, bodyQueueOf } from '../request/guard.ts'
import { sizeOf_bytes } from '../request/json-body.ts'
import { readJson } from '../../async/read-json.ts'

/** The maximum number of values in a message, nested ones included. The MCP package checks all of them in one step. */
export const mcpValuesMax = 10_000

/**
 * Returns the parsed message of a request to MCP; undefined if it has none, or none in JSON. Without this, the MCP
 * package would parse the body in one piece, at any depth.
 * @throws {ValidationError} if the body is not JSON.
 * @throws {ApiError} `bad_request` if it has too many values.
 */
export async function readMcpMessage(request: Request): Promise<unknown> {
  if (request.method !== 'POST' || mediaTypeOf(request) !== 'application/json') return undefined
  requireUncompressedBody(request)
  const queue = bodyQueueOf(request)
  return queue.run(request, accountOf(request).id, async () => {
    const chunks = await receiveBody(request, bodyMax_bytes)
    const message = await queue.runSteps(() => readJson(chunks, null, bodyJson), sizeOf_bytes(chunks))
    if (valuesLeft(message, mcpValuesMax) < 0)
      throw new ApiError('bad_request', `The message has more than ${mcpValuesMax} values. Send fewer.`)
    return message
  })
}

/** Returns the JSON-RPC response to a body that is not JSON. */
export function parseErrorResponse({ violations }: ValidationError): Response {
  const error = { code: -32_700, message: `Parse error: ${violations[0]!.msg}` }
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 400 })
}

/** Returns what remains of a number of values after this one; negative as soon as they are used up. */
function valuesLeft(value: unknown, values: number): number {
  let left = values - 1
  if (typeof value !== 'object' || value === null) return left
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    if (left < 0) return left
    left = valuesLeft(member, left)
  }
  return left
}
