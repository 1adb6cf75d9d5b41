/** An OAuth error (RFC 6749, 7009, 7591, 8628, 8707). `redirectTarget` is set once the redirect_uri is validated. */
export class OAuthError extends Error {
  readonly code: OAuthCode
  readonly redirectTarget: RedirectTarget | null

  constructor(code: OAuthCode, message: string, redirectTarget: RedirectTarget | null = null) {
    super(message)
    this.code = code
    this.redirectTarget = redirectTarget
  }

  get status(): number {
    return oauthCodes[this.code]
  }
}

/** The validated redirect_uri of a client and its `state`. */
export type RedirectTarget = { redirect_uri: string; state: string | null }

/** Every code with its HTTP status. */
const oauthCodes = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  invalid_scope: 400,
  invalid_target: 400,
  access_denied: 400,
  request_not_supported: 400,
  request_uri_not_supported: 400,
  authorization_pending: 400,
  slow_down: 400,
  expired_token: 400,
  invalid_redirect_uri: 400,
  invalid_client_metadata: 400,
  temporarily_unavailable: 429,
} as const
/** One OAuth error code. */
export type OAuthCode = keyof typeof oauthCodes
