import type { App } from '../app.ts'
import { OAuthError } from '../auth/oauth-error.ts'
import { ApiError } from '../model/error.ts'

const headers = { 'cache-control': 'no-store', pragma: 'no-cache' }
const retryAfter_s = 60

/** Runs an OAuth endpoint and returns its response, or the error response of RFC 6749, 5.2. */
export async function oauthResponse(
  app: App,
  handle: () => Promise<{ status?: number; body: unknown }>,
): Promise<Response> {
  try {
    const { status = 200, body } = await handle()
    return body === null ? new Response(null, { status, headers }) : Response.json(body, { status, headers })
  } catch (error) {
    if (error instanceof ApiError && error.status < 500)
      return oauthErrorResponse(new OAuthError('invalid_request', error.message))
    if (!(error instanceof OAuthError)) throw error
    app.log.info('oauth_rejected', { code: error.code })
    return oauthErrorResponse(error)
  }
}

function oauthErrorResponse({ code, message, status }: OAuthError): Response {
  return Response.json(
    { error: code, error_description: message },
    { status, headers: { ...headers, ...(status === 429 && { 'retry-after': String(retryAfter_s) }) } },
  )
}
