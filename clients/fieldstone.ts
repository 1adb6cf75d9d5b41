// The TypeScript client of Fieldstone, for Node 20, Bun, Deno and browsers. It needs no package.
// Generated from the OpenAPI document by scripts/clients.ts: do not edit.

type Schemas = components['schemas']
type Sent = { body?: unknown; options?: Record<string, unknown>; headers?: string[]; isFile?: boolean }

/** An answer that is no success. `detail` is the error object, or the list of violations of a request. */
export class FieldstoneError extends Error {
  readonly status: number
  readonly code: Schemas['ErrorCode'] | 'invalid_request'
  readonly detail: Schemas['ErrorDetail'] | Schemas['InvalidRequest']['detail']

  constructor(status: number, detail: FieldstoneError['detail']) {
    super(Array.isArray(detail) ? detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ') : detail.message)
    this.status = status
    this.code = Array.isArray(detail) ? 'invalid_request' : detail.error
    this.detail = detail
  }
}

/**
 * A client of one server. A request that is rejected because the server is busy, or because a limit is reached, is sent
 * again up to `retries` times, after the time that the server names.
 */
export class Fieldstone {
  readonly #url: string
  readonly #token: string | undefined
  readonly #retries: number

  constructor({ url = 'http://127.0.0.1:8080', token, retries = 3 }: { url?: string; token?: string; retries?: number } = {}) {
    this.#url = url.replace(/\/+$/, '')
    this.#token = token
    this.#retries = retries
  }

  /** Liveness. */
  getHealthz(): Promise<Schemas['HealthzResponse']> {
    return this.#send<Schemas['HealthzResponse']>('GET', '/healthz')
  }

  /** Readiness. */
  getReadyz(): Promise<Schemas['ReadyzResponse']> {
    return this.#send<Schemas['ReadyzResponse']>('GET', '/readyz')
  }

  /** List all fields and presets. */
  getMetaFields(options: { q?: string; layer?: string } = {}): Promise<Schemas['MetaFieldsResponse']> {
    return this.#send<Schemas['MetaFieldsResponse']>('GET', '/v1/meta/fields', { options })
  }

  /** List all datasets. */
  getMetaSources(options: { state?: string } = {}): Promise<Schemas['MetaSourcesResponse']> {
    return this.#send<Schemas['MetaSourcesResponse']>('GET', '/v1/meta/sources', { options })
  }

  /** What local data answers in each county. */
  getMetaCoverage(): Promise<Schemas['MetaCoverageResponse']> {
    return this.#send<Schemas['MetaCoverageResponse']>('GET', '/v1/meta/coverage')
  }

  /** List all limits. */
  getMetaLimits(): Promise<Schemas['MetaLimitsResponse']> {
    return this.#send<Schemas['MetaLimitsResponse']>('GET', '/v1/meta/limits')
  }

  /** Fetch fields for one coordinate, from a URL. */
  getFetch(options: { lat?: number; lng?: number; fields?: string[]; preset?: string; on_unknown?: 'reject' | 'skip'; include?: string[] } = {}): Promise<Schemas['FetchResponse']> {
    return this.#send<Schemas['FetchResponse']>('GET', '/v1/fetch', { options })
  }

  /** Fetch fields for one place. */
  postFetch(body: Schemas['FetchRequest']): Promise<Schemas['FetchResponse']> {
    return this.#send<Schemas['FetchResponse']>('POST', '/v1/fetch', { body })
  }

  /** Fetch the same fields for up to 25 places. */
  postFetchBatch(body: Schemas['FetchBatchRequest']): Promise<Schemas['FetchBatchResponse']> {
    return this.#send<Schemas['FetchBatchResponse']>('POST', '/v1/fetch/batch', { body })
  }

  /** Fetch fields for a polygon or a line. */
  postAreas(body: Schemas['AreasRequest']): Promise<Schemas['AreasResponse']> {
    return this.#send<Schemas['AreasResponse']>('POST', '/v1/areas', { body })
  }

  /** Geocode one US street address. */
  postGeocode(body: Schemas['GeocodeRequest']): Promise<Schemas['GeocodeResponse']> {
    return this.#send<Schemas['GeocodeResponse']>('POST', '/v1/geocode', { body })
  }

  /** Look up the jurisdictions, hazards and market data of one place. */
  postLookup(body: Schemas['LookupRequest']): Promise<Schemas['LookupResponse']> {
    return this.#send<Schemas['LookupResponse']>('POST', '/v1/lookup', { body })
  }

  /** Ask a question about one place. */
  postAsk(body: Schemas['AskRequest']): Promise<Schemas['AskResponse']> {
    return this.#send<Schemas['AskResponse']>('POST', '/v1/ask', { body })
  }

  /** Submit a run of up to 10000 locations. */
  postRuns(body: Schemas['RunsRequest'] | string, options: { fresh?: boolean; kind?: 'fetch_batch' | 'area_batch' | 'geocode_batch' | 'lookup_batch'; name?: string; fields?: string[]; preset?: string; on_unknown?: 'reject' | 'skip'; include_parcel?: boolean; lat?: string; lng?: string; location?: string; address?: string; crs?: string; west?: boolean; delimiter?: string; header_row?: number; encoding?: string; sheet?: string; 'Idempotency-Key'?: string; Prefer?: string } = {}): Promise<Schemas['RunsResponse'] | Schemas['FunctionsSnowflakeAccepted']> {
    return this.#send<Schemas['RunsResponse'] | Schemas['FunctionsSnowflakeAccepted']>('POST', '/v1/runs', { body, options, headers: ['Idempotency-Key', 'Prefer'] })
  }

  /** List runs. */
  getRuns(options: { limit?: number; cursor?: string; idempotency_key?: string } = {}): Promise<Schemas['GetRunsResponse']> {
    return this.#send<Schemas['GetRunsResponse']>('GET', '/v1/runs', { options })
  }

  /** Get a run. */
  getRunsRunId(run_id: string, options: { view?: 'summary' } = {}): Promise<Schemas['RunsItemResponse']> {
    return this.#send<Schemas['RunsItemResponse']>('GET', `/v1/runs/${encodeURIComponent(run_id)}`, { options })
  }

  /** List the entries of a run. */
  getRunsRunIdResults(run_id: string, options: { limit?: number; cursor?: string; status?: 'ok' | 'failed' } = {}): Promise<Schemas['RunsResultsResponse']> {
    return this.#send<Schemas['RunsResultsResponse']>('GET', `/v1/runs/${encodeURIComponent(run_id)}/results`, { options })
  }

  /** Get one entry of a run. */
  getRunsRunIdResultsIndex(run_id: string, index: number): Promise<Schemas['RunsResultsItemResponse']> {
    return this.#send<Schemas['RunsResultsItemResponse']>('GET', `/v1/runs/${encodeURIComponent(run_id)}/results/${encodeURIComponent(index)}`)
  }

  /** Download the result as CSV. */
  getRunsRunIdArtifactsCsv(run_id: string, options: { include?: string[]; columns?: string } = {}): Promise<Response> {
    return this.#send<Response>('GET', `/v1/runs/${encodeURIComponent(run_id)}/artifacts/csv`, { options, isFile: true })
  }

  /** Download the result as GeoJSON. */
  getRunsRunIdArtifactsGeojson(run_id: string, options: { include?: string[]; columns?: string } = {}): Promise<Response> {
    return this.#send<Response>('GET', `/v1/runs/${encodeURIComponent(run_id)}/artifacts/geojson`, { options, isFile: true })
  }

  /** Download the result as GeoParquet. */
  getRunsRunIdArtifactsParquet(run_id: string, options: { include?: string[]; columns?: string } = {}): Promise<Response> {
    return this.#send<Response>('GET', `/v1/runs/${encodeURIComponent(run_id)}/artifacts/parquet`, { options, isFile: true })
  }

  /** Download the result as JSON lines. */
  getRunsRunIdArtifactsNdjson(run_id: string, options: { include?: string[]; columns?: string } = {}): Promise<Response> {
    return this.#send<Response>('GET', `/v1/runs/${encodeURIComponent(run_id)}/artifacts/ndjson`, { options, isFile: true })
  }

  /** Download the result as a workbook. */
  getRunsRunIdArtifactsXlsx(run_id: string, options: { include?: string[]; columns?: string } = {}): Promise<Response> {
    return this.#send<Response>('GET', `/v1/runs/${encodeURIComponent(run_id)}/artifacts/xlsx`, { options, isFile: true })
  }

  /** Download the result as a GeoPackage. */
  getRunsRunIdArtifactsGpkg(run_id: string, options: { include?: string[]; columns?: string } = {}): Promise<Response> {
    return this.#send<Response>('GET', `/v1/runs/${encodeURIComponent(run_id)}/artifacts/gpkg`, { options, isFile: true })
  }

  /** Count what a run found. */
  getRunsRunIdArtifactsReport(run_id: string, options: { include?: string[] } = {}): Promise<Schemas['RunsArtifactsReportResponse'] | string> {
    return this.#send<Schemas['RunsArtifactsReportResponse'] | string>('GET', `/v1/runs/${encodeURIComponent(run_id)}/artifacts/report`, { options })
  }

  /** Cancel a run. */
  postRunsRunIdCancel(run_id: string): Promise<Schemas['RunsCancelResponse']> {
    return this.#send<Schemas['RunsCancelResponse']>('POST', `/v1/runs/${encodeURIComponent(run_id)}/cancel`)
  }

  /** Retry failed locations. */
  postRunsRunIdRetry(run_id: string, body: Schemas['RunsRetryRequest'], options: { include?: string[] } = {}): Promise<Schemas['FunctionsSnowflakeAccepted']> {
    return this.#send<Schemas['FunctionsSnowflakeAccepted']>('POST', `/v1/runs/${encodeURIComponent(run_id)}/retry`, { body, options })
  }

  /** Your account. */
  getUsersMe(): Promise<Schemas['UsersMeResponse']> {
    return this.#send<Schemas['UsersMeResponse']>('GET', '/v1/users/me')
  }

  /** List API tokens. */
  getUsersMeTokens(options: { limit?: number; cursor?: string } = {}): Promise<Schemas['UsersMeTokensResponse']> {
    return this.#send<Schemas['UsersMeTokensResponse']>('GET', '/v1/users/me/tokens', { options })
  }

  /** Create an API token. */
  postUsersMeTokens(body: Schemas['UsersMeTokensRequest']): Promise<Schemas['PostUsersMeTokensResponse']> {
    return this.#send<Schemas['PostUsersMeTokensResponse']>('POST', '/v1/users/me/tokens', { body })
  }

  /** Revoke an API token. */
  deleteUsersMeTokensTokenId(token_id: string): Promise<void> {
    return this.#send<void>('DELETE', `/v1/users/me/tokens/${encodeURIComponent(token_id)}`)
  }

  /** Your usage. */
  getUsersMeUsage(options: { from?: string; to?: string } = {}): Promise<Schemas['UsersMeUsageResponse']> {
    return this.#send<Schemas['UsersMeUsageResponse']>('GET', '/v1/users/me/usage', { options })
  }

  /** List OAuth logins. */
  getUsersMeLogins(): Promise<Schemas['UsersMeLoginsResponse']> {
    return this.#send<Schemas['UsersMeLoginsResponse']>('GET', '/v1/users/me/logins')
  }

  /** End an OAuth login. */
  deleteUsersMeLoginsLoginId(login_id: string): Promise<void> {
    return this.#send<void>('DELETE', `/v1/users/me/logins/${encodeURIComponent(login_id)}`)
  }

  /** List browser sessions. */
  getUsersMeSessions(): Promise<Schemas['UsersMeSessionsResponse']> {
    return this.#send<Schemas['UsersMeSessionsResponse']>('GET', '/v1/users/me/sessions')
  }

  /** Sign out other sessions. */
  deleteUsersMeSessions(): Promise<void> {
    return this.#send<void>('DELETE', '/v1/users/me/sessions')
  }

  /** List read-only links. */
  getUsersMeShares(): Promise<Schemas['UsersMeSharesResponse']> {
    return this.#send<Schemas['UsersMeSharesResponse']>('GET', '/v1/users/me/shares')
  }

  /** Create a read-only link. */
  postUsersMeShares(body: Schemas['UsersMeSharesRequest']): Promise<Schemas['PostUsersMeSharesResponse']> {
    return this.#send<Schemas['PostUsersMeSharesResponse']>('POST', '/v1/users/me/shares', { body })
  }

  /** Revoke a read-only link. */
  deleteUsersMeSharesShareId(share_id: string): Promise<void> {
    return this.#send<void>('DELETE', `/v1/users/me/shares/${encodeURIComponent(share_id)}`)
  }

  /** List pins. */
  getUsersMePins(): Promise<Schemas['UsersMePinsResponse']> {
    return this.#send<Schemas['UsersMePinsResponse']>('GET', '/v1/users/me/pins')
  }

  /** Pin a place or fields. */
  postUsersMePins(body: Schemas['UsersMePinsRequest']): Promise<Schemas['PostUsersMePinsResponse']> {
    return this.#send<Schemas['PostUsersMePinsResponse']>('POST', '/v1/users/me/pins', { body })
  }

  /** Remove a pin. */
  deleteUsersMePinsPinId(pin_id: string): Promise<void> {
    return this.#send<void>('DELETE', `/v1/users/me/pins/${encodeURIComponent(pin_id)}`)
  }

  /** List users. */
  getUsers(): Promise<Schemas['UsersResponse']> {
    return this.#send<Schemas['UsersResponse']>('GET', '/v1/users')
  }

  /** Invite a user. */
  postUsers(body: Schemas['UsersRequest']): Promise<Schemas['PostUsersResponse']> {
    return this.#send<Schemas['PostUsersResponse']>('POST', '/v1/users', { body })
  }

  /** Create a password link. */
  postUsersUserIdLink(user_id: string): Promise<Schemas['PostUsersResponse']> {
    return this.#send<Schemas['PostUsersResponse']>('POST', `/v1/users/${encodeURIComponent(user_id)}/link`)
  }

  /** Remove a user. */
  deleteUsersUserId(user_id: string): Promise<void> {
    return this.#send<void>('DELETE', `/v1/users/${encodeURIComponent(user_id)}`)
  }

  /** Measure how far places are. */
  postProximity(body: Schemas['ProximityRequest']): Promise<Schemas['ProximityResponse']> {
    return this.#send<Schemas['ProximityResponse']>('POST', '/v1/proximity', { body })
  }

  /** Plan the packs of an area. */
  postPacksPlan(body: Schemas['PacksPlanRequest']): Promise<Schemas['PacksPlanResponse']> {
    return this.#send<Schemas['PacksPlanResponse']>('POST', '/v1/packs/plan', { body })
  }

  /** Fetch the packs of an area. */
  postPacksFetch(body: Schemas['PacksPlanRequest']): Promise<Schemas['PacksFetchAccepted']> {
    return this.#send<Schemas['PacksFetchAccepted']>('POST', '/v1/packs/fetch', { body })
  }

  /** The last fetch of packs. */
  getPacksFetch(): Promise<Schemas['PacksFetchResponse']> {
    return this.#send<Schemas['PacksFetchResponse']>('GET', '/v1/packs/fetch')
  }

  /** Cancel the fetch of packs. */
  postPacksFetchCancel(): Promise<Schemas['PacksFetchAccepted']> {
    return this.#send<Schemas['PacksFetchAccepted']>('POST', '/v1/packs/fetch/cancel')
  }

  async #send<T>(method: string, path: string, { body, options = {}, headers: names = [], isFile }: Sent = {}): Promise<T> {
    const url = new URL(`${this.#url}${path}`)
    const headers: Record<string, string> = this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }
    for (const [name, value] of Object.entries(options))
      if (value !== undefined && names.includes(name)) headers[name] = String(value)
      else if (value !== undefined) url.searchParams.set(name, Array.isArray(value) ? value.join(',') : String(value))
    if (body !== undefined) headers['content-type'] = typeof body === 'string' ? 'text/csv' : 'application/json'
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    for (let retry = 0; ; retry++) {
      const response = await fetch(url, { method, headers, ...(text !== undefined && { body: text }) })
      const seconds = Number(response.headers.get('retry-after') ?? 1)
      if ((response.status === 429 || response.status === 503) && retry < this.#retries && path !== '/readyz') {
        await response.body?.cancel()
        await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
        continue
      }
      if (!response.ok && path !== '/readyz') {
        const answer = (await response.json().catch(() => null)) as { detail: FieldstoneError['detail'] } | null
        const unknown = { error: 'internal_error', message: `${method} ${path} answered ${response.status}.`, retryable: false, documentation_url: '' } as const
        throw new FieldstoneError(response.status, answer?.detail ?? unknown)
      }
      if (isFile) return response as T
      return (response.status === 204 ? undefined : await response.json()) as T
    }
  }
}

export type components = {
    schemas: {
        /**
         * @description The error code, for programs.
         * @enum {string}
         */
        ErrorCode: "coord_out_of_bounds" | "invalid_locator" | "no_fields_requested" | "fields_unknown" | "preset_unknown" | "fields_too_many" | "address_too_coarse" | "address_outside_us" | "address_form_unsupported" | "address_ambiguous" | "address_not_found" | "resolve_coord_bounds" | "resolve_invalid_input" | "geocode_unavailable" | "geocode_timeout" | "resolve_timeout" | "geocoder_not_configured" | "parcel_not_found" | "parcel_unavailable" | "parcels_not_configured" | "fetch_busy" | "auth_missing" | "auth_malformed" | "auth_invalid" | "auth_expired" | "auth_revoked" | "insufficient_scope" | "auth_method_not_allowed" | "origin_not_allowed" | "token_not_found" | "user_not_found" | "user_exists" | "share_not_found" | "share_limit_reached" | "pin_not_found" | "pin_limit_reached" | "rate_limited" | "quota_exceeded" | "host_not_allowed" | "bad_request" | "body_too_large" | "request_timeout" | "unsupported_media_type" | "method_not_allowed" | "not_found" | "run_kind_unknown" | "run_not_found" | "run_not_ready" | "run_failed" | "run_not_cancellable" | "run_not_retryable" | "idempotency_key_reused" | "range_not_satisfiable" | "unknown_set" | "proximity_data_unavailable" | "mode_unsupported" | "run_cancelled" | "row_invalid" | "basemap_unavailable" | "pack_fetch_active" | "pack_fetch_not_active" | "pack_fetch_unavailable" | "pack_fetch_failed" | "ask_timeout" | "ask_unavailable" | "storage_full" | "storage_read_only" | "storage_unavailable" | "shutting_down" | "worker_lost" | "stored_data_damaged" | "internal_error";
        /** @description Some codes have additional members. */
        ErrorDetail: {
            error: components["schemas"]["ErrorCode"];
            /** @description What is wrong and what to do. */
            message: string;
            /** @description Whether the same request can succeed later. Retry-After says when. */
            retryable: boolean;
            /** @description The path of the guide section about this code, on this server. */
            documentation_url: string;
        } & {
            [key: string]: unknown;
        };
        /** @description Only with `include=geometry`: what the value was read from, simplified for a map. Empty when there is nothing to draw, or when the terms of the source do not allow it. */
        FieldGeometry: {
            /** @constant */
            type: "FeatureCollection";
            features: {
                /** @constant */
                type: "Feature";
                properties: {
                    /** @description area: contains the point. Of a large feature that is stored in pieces, it is the piece. feature: the nearest feature, or a counted one. line: from the point to the nearest feature. radius: the search radius. cell: a raster cell. part: the part of an area in which the field has `value`. */
                    role: "area" | "feature" | "line" | "radius" | "cell" | "part";
                    /** @description The dataset of the shape. */
                    dataset: string;
                    /** @description The value of a raster cell, or of a part. */
                    value?: string | number | boolean | null;
                    /** @description For a part with the numbers of a raster: the least and the greatest. `value` is their mean. */
                    range?: number[];
                    /** @description The length of the line, or the radius. */
                    distance_m?: number;
                    /** @description The outline differs from that of the source by at most this many meters. */
                    simplified_m?: number;
                };
                /** @description A GeoJSON geometry (RFC 7946). */
                geometry: Record<string, never>;
            }[];
        };
        FieldResult: {
            value: string | number | boolean;
            /** @constant */
            status: "ok";
            /** @description Only for fields with `margin_of_error`: the margin of error at 90 % confidence, in the unit of the value. Null if the publisher gives none; `notes` says why. */
            moe_90?: number | null;
            /** @description How reliable the estimate is, by its coefficient of variation (moe_90 / 1.645 / value): high up to 12 %, medium up to 40 %, else low. Missing if there is no margin of error, or if the value is 0 and moe_90 is above 0. */
            reliability?: "high" | "medium" | "low";
            /** @description The source that answered. */
            source: string;
            /** @description The unit of the value. */
            unit: string | null;
            source_url: string;
            /** @description high: the publisher's own value at the place, from a current edition. medium: modeled, aggregated, coarse or dated. low: a stand-in for what the field names. unknown: the field failed. */
            confidence: "high" | "medium" | "low" | "unknown";
            /**
             * Format: date-time
             * @description When the source answered: for a value from another server, the time of its answer, which may come from the cache. For data of this server, the time of this answer. Null for a failed field.
             */
            fetched_at: string | null;
            /** @description How long a client may cache the value. */
            ttl_seconds: number;
            /** @description Date or edition of the data; null when unknown. */
            dataset_vintage: string | null;
            /** @description For a value without `vintage`: how current the data are, as far as it is known. */
            vintage_note?: string;
            /** @description The driver that answered; null when none could answer. */
            driver: string | null;
            /** @description For values from another server. hit: from the cache. miss: fetched now. stale: an expired cached value, because the source failed. */
            cache?: "hit" | "miss" | "stale";
            /** @description For a distance to generalized outlines: the true distance differs from the value by at most this many meters. `notes` says why. */
            uncertainty_m?: number;
            /** @description Notes, such as the age of a stale value. */
            notes: string | null;
            geometry?: components["schemas"]["FieldGeometry"];
            /** @description Only with `include=geometry`: why the source could not send the geometry. */
            geometry_error?: string;
        } | {
            value: string | null;
            /**
             * @description There is nothing at this place.
             * @constant
             */
            status: "absent";
            absent_reason: "outside_coverage" | "not_mapped" | "no_data" | "none_within_radius";
            /** @description The source that answered. */
            source: string;
            /** @description The unit of the value. */
            unit: string | null;
            source_url: string;
            /** @description high: the publisher's own value at the place, from a current edition. medium: modeled, aggregated, coarse or dated. low: a stand-in for what the field names. unknown: the field failed. */
            confidence: "high" | "medium" | "low" | "unknown";
            /**
             * Format: date-time
             * @description When the source answered: for a value from another server, the time of its answer, which may come from the cache. For data of this server, the time of this answer. Null for a failed field.
             */
            fetched_at: string | null;
            /** @description How long a client may cache the value. */
            ttl_seconds: number;
            /** @description Date or edition of the data; null when unknown. */
            dataset_vintage: string | null;
            /** @description For a value without `vintage`: how current the data are, as far as it is known. */
            vintage_note?: string;
            /** @description The driver that answered; null when none could answer. */
            driver: string | null;
            /** @description For values from another server. hit: from the cache. miss: fetched now. stale: an expired cached value, because the source failed. */
            cache?: "hit" | "miss" | "stale";
            /** @description For a distance to generalized outlines: the true distance differs from the value by at most this many meters. `notes` says why. */
            uncertainty_m?: number;
            /** @description Notes, such as the age of a stale value. */
            notes: string | null;
            geometry?: components["schemas"]["FieldGeometry"];
            /** @description Only with `include=geometry`: why the source could not send the geometry. */
            geometry_error?: string;
        } | {
            value: string | null;
            /**
             * @description The source could not answer.
             * @constant
             */
            status: "failed";
            /** @description A code, a colon and a message. */
            error: string;
            retryable: boolean;
            /** @description The source that answered. */
            source: string;
            /** @description The unit of the value. */
            unit: string | null;
            source_url: string;
            /** @description high: the publisher's own value at the place, from a current edition. medium: modeled, aggregated, coarse or dated. low: a stand-in for what the field names. unknown: the field failed. */
            confidence: "high" | "medium" | "low" | "unknown";
            /**
             * Format: date-time
             * @description When the source answered: for a value from another server, the time of its answer, which may come from the cache. For data of this server, the time of this answer. Null for a failed field.
             */
            fetched_at: string | null;
            /** @description How long a client may cache the value. */
            ttl_seconds: number;
            /** @description Date or edition of the data; null when unknown. */
            dataset_vintage: string | null;
            /** @description For a value without `vintage`: how current the data are, as far as it is known. */
            vintage_note?: string;
            /** @description The driver that answered; null when none could answer. */
            driver: string | null;
            /** @description For values from another server. hit: from the cache. miss: fetched now. stale: an expired cached value, because the source failed. */
            cache?: "hit" | "miss" | "stale";
            /** @description For a distance to generalized outlines: the true distance differs from the value by at most this many meters. `notes` says why. */
            uncertainty_m?: number;
            /** @description Notes, such as the age of a stale value. */
            notes: string | null;
            geometry?: components["schemas"]["FieldGeometry"];
            /** @description Only with `include=geometry`: why the source could not send the geometry. */
            geometry_error?: string;
        };
        AreaFieldResult: {
            value: {
                classes: {
                    value: string | number | boolean;
                    /** @description For a polygon: square meters on the WGS 84 ellipsoid. */
                    area_m2?: number;
                    /** @description For a line: meters on the WGS 84 ellipsoid. */
                    length_m?: number;
                    /** @description The share of the area or of the line. */
                    share: number;
                    /** @description Cells of the raster, each by the fraction that the area covers. */
                    cells?: number;
                }[];
                /** @description For a line: its stretches in order, with the distance along the line. */
                crossings?: {
                    from_m: number;
                    to_m: number;
                    value: string | number | boolean;
                }[];
            } | {
                /** @description The share of the area or of the line for which the field is true. */
                share_true: number;
                /** @description For a polygon: square meters on the WGS 84 ellipsoid. */
                area_m2?: number;
                /** @description For a line: meters on the WGS 84 ellipsoid. */
                length_m?: number;
                /** @description Whether the field is true anywhere. */
                any: boolean;
                /** @description Whether the field is true everywhere. */
                all: boolean;
                /** @description For a line: its stretches in order, with the distance along the line. */
                crossings?: {
                    from_m: number;
                    to_m: number;
                    value: string | number | boolean;
                }[];
                /** @description Cells of the raster, each by the fraction that the area covers. */
                cells?: number;
            } | {
                mean: number;
                min: number;
                max: number;
                /** @description The standard deviation. */
                sd: number;
                /** @description The least value that 10 % of the cells do not exceed. */
                p10: number;
                p50: number;
                p90: number;
                /** @description Cells of the raster, each by the fraction that the area covers. */
                cells?: number;
                /** @description For a line: the distance along it in meters, and the value there; null without data. */
                profile?: (number | null)[][];
            } | {
                /** @description From the edge of the area; 0 if the feature is inside or crosses it. */
                distance_m: number;
                value?: string | number | boolean;
                /** @description For a distance: the values of the fields that describe the nearest feature, by name of the field. */
                feature?: {
                    [key: string]: string | number | boolean;
                };
            } | {
                /** @description The features that lie in the area, overlap it or cross it. */
                count: number;
                /** @description For lines: their length inside the area. */
                length_m?: number;
                /** @description For polygons: their area inside the area, overlaps counted once. */
                area_m2?: number;
            } | {
                units: {
                    key: string;
                    value: string | number | boolean | null;
                    /** @description For a polygon: square meters on the WGS 84 ellipsoid. */
                    area_m2?: number;
                    /** @description For a line: meters on the WGS 84 ellipsoid. */
                    length_m?: number;
                    /** @description The share of the area or of the line. */
                    share: number;
                    /** @description The share of the unit that lies in the area. */
                    share_of_unit?: number;
                }[];
                /** @description Only for values that can be added: the values of the units times their share_of_unit, added. An estimate: it assumes that the value is spread evenly over each unit. */
                apportioned_sum?: number;
            } | {
                value: string | number | boolean;
                at: {
                    lat: number;
                    lng: number;
                };
            };
            /** @constant */
            status: "ok";
            /** @description How the field answers POST /v1/areas. The guide page about areas describes the kinds. */
            area_kind: "polygon_classes" | "polygon_share" | "raster_statistics" | "raster_classes" | "raster_share" | "nearest" | "count" | "units" | "representative_point" | "not_for_areas";
            /** @description The share of the area or of the line for which the source has a value. The rest is in `absent_parts`. */
            covered_share: number;
            /** @description The parts without a value, by reason. `no_data`: the source has nothing there. */
            absent_parts?: {
                reason: "outside_coverage" | "not_mapped" | "no_data" | "none_within_radius" | "not_for_areas";
                /** @description For a polygon: square meters on the WGS 84 ellipsoid. */
                area_m2?: number;
                /** @description For a line: meters on the WGS 84 ellipsoid. */
                length_m?: number;
                /** @description The share of the area or of the line. */
                share: number;
            }[];
            /** @description The source that answered. */
            source: string;
            /** @description The unit of the value. */
            unit: string | null;
            source_url: string;
            /** @description high: the publisher's own value at the place, from a current edition. medium: modeled, aggregated, coarse or dated. low: a stand-in for what the field names. unknown: the field failed. */
            confidence: "high" | "medium" | "low" | "unknown";
            /**
             * Format: date-time
             * @description When the source answered: for a value from another server, the time of its answer, which may come from the cache. For data of this server, the time of this answer. Null for a failed field.
             */
            fetched_at: string | null;
            /** @description How long a client may cache the value. */
            ttl_seconds: number;
            /** @description Date or edition of the data; null when unknown. */
            dataset_vintage: string | null;
            /** @description For a value without `vintage`: how current the data are, as far as it is known. */
            vintage_note?: string;
            /** @description The driver that answered; null when none could answer. */
            driver: string | null;
            /** @description For values from another server. hit: from the cache. miss: fetched now. stale: an expired cached value, because the source failed. */
            cache?: "hit" | "miss" | "stale";
            /** @description For a distance to generalized outlines: the true distance differs from the value by at most this many meters. `notes` says why. */
            uncertainty_m?: number;
            /** @description Notes, such as the age of a stale value. */
            notes: string | null;
            geometry?: components["schemas"]["FieldGeometry"];
            /** @description Only with `include=geometry`: why the source could not send the geometry. */
            geometry_error?: string;
        } | {
            value: string | null;
            /** @constant */
            status: "absent";
            absent_reason: "outside_coverage" | "not_mapped" | "no_data" | "none_within_radius" | "not_for_areas";
            /** @description How the field answers POST /v1/areas. The guide page about areas describes the kinds. */
            area_kind: "polygon_classes" | "polygon_share" | "raster_statistics" | "raster_classes" | "raster_share" | "nearest" | "count" | "units" | "representative_point" | "not_for_areas";
            /** @description The share of the area or of the line for which the source has a value. The rest is in `absent_parts`. */
            covered_share: number;
            /** @description The parts without a value, by reason. `no_data`: the source has nothing there. */
            absent_parts?: {
                reason: "outside_coverage" | "not_mapped" | "no_data" | "none_within_radius" | "not_for_areas";
                /** @description For a polygon: square meters on the WGS 84 ellipsoid. */
                area_m2?: number;
                /** @description For a line: meters on the WGS 84 ellipsoid. */
                length_m?: number;
                /** @description The share of the area or of the line. */
                share: number;
            }[];
            /** @description The source that answered. */
            source: string;
            /** @description The unit of the value. */
            unit: string | null;
            source_url: string;
            /** @description high: the publisher's own value at the place, from a current edition. medium: modeled, aggregated, coarse or dated. low: a stand-in for what the field names. unknown: the field failed. */
            confidence: "high" | "medium" | "low" | "unknown";
            /**
             * Format: date-time
             * @description When the source answered: for a value from another server, the time of its answer, which may come from the cache. For data of this server, the time of this answer. Null for a failed field.
             */
            fetched_at: string | null;
            /** @description How long a client may cache the value. */
            ttl_seconds: number;
            /** @description Date or edition of the data; null when unknown. */
            dataset_vintage: string | null;
            /** @description For a value without `vintage`: how current the data are, as far as it is known. */
            vintage_note?: string;
            /** @description The driver that answered; null when none could answer. */
            driver: string | null;
            /** @description For values from another server. hit: from the cache. miss: fetched now. stale: an expired cached value, because the source failed. */
            cache?: "hit" | "miss" | "stale";
            /** @description For a distance to generalized outlines: the true distance differs from the value by at most this many meters. `notes` says why. */
            uncertainty_m?: number;
            /** @description Notes, such as the age of a stale value. */
            notes: string | null;
            geometry?: components["schemas"]["FieldGeometry"];
            /** @description Only with `include=geometry`: why the source could not send the geometry. */
            geometry_error?: string;
        } | {
            value: string | null;
            /** @constant */
            status: "failed";
            /** @description A code, a colon and a message. */
            error: string;
            retryable: boolean;
            /** @description How the field answers POST /v1/areas. The guide page about areas describes the kinds. */
            area_kind: "polygon_classes" | "polygon_share" | "raster_statistics" | "raster_classes" | "raster_share" | "nearest" | "count" | "units" | "representative_point" | "not_for_areas";
            /** @description The share of the area or of the line for which the source has a value. The rest is in `absent_parts`. */
            covered_share: number;
            /** @description The parts without a value, by reason. `no_data`: the source has nothing there. */
            absent_parts?: {
                reason: "outside_coverage" | "not_mapped" | "no_data" | "none_within_radius" | "not_for_areas";
                /** @description For a polygon: square meters on the WGS 84 ellipsoid. */
                area_m2?: number;
                /** @description For a line: meters on the WGS 84 ellipsoid. */
                length_m?: number;
                /** @description The share of the area or of the line. */
                share: number;
            }[];
            /** @description The source that answered. */
            source: string;
            /** @description The unit of the value. */
            unit: string | null;
            source_url: string;
            /** @description high: the publisher's own value at the place, from a current edition. medium: modeled, aggregated, coarse or dated. low: a stand-in for what the field names. unknown: the field failed. */
            confidence: "high" | "medium" | "low" | "unknown";
            /**
             * Format: date-time
             * @description When the source answered: for a value from another server, the time of its answer, which may come from the cache. For data of this server, the time of this answer. Null for a failed field.
             */
            fetched_at: string | null;
            /** @description How long a client may cache the value. */
            ttl_seconds: number;
            /** @description Date or edition of the data; null when unknown. */
            dataset_vintage: string | null;
            /** @description For a value without `vintage`: how current the data are, as far as it is known. */
            vintage_note?: string;
            /** @description The driver that answered; null when none could answer. */
            driver: string | null;
            /** @description For values from another server. hit: from the cache. miss: fetched now. stale: an expired cached value, because the source failed. */
            cache?: "hit" | "miss" | "stale";
            /** @description For a distance to generalized outlines: the true distance differs from the value by at most this many meters. `notes` says why. */
            uncertainty_m?: number;
            /** @description Notes, such as the age of a stale value. */
            notes: string | null;
            geometry?: components["schemas"]["FieldGeometry"];
            /** @description Only with `include=geometry`: why the source could not send the geometry. */
            geometry_error?: string;
        };
        /** @description Only for an address. */
        GeocodeSummary: {
            /** @description rooftop and nearest_rooftop_match are precise enough for parcels. With any other accuracy, confirm the address. */
            accuracy_type: "rooftop" | "nearest_rooftop_match" | "point" | "range_interpolation" | "intersection" | "street_center";
            /** @description How well the match agrees with the request. Fieldstone compares them part by part, and reduces the score of the geocoder for every part that differs. The Census geocoder gives no score, so this comparison alone determines the score of its matches. */
            accuracy: number;
            /** @description exact: all parts of the request agree with the match. approximate: `warnings` lists the differences. */
            match_type: "exact" | "approximate";
            /** @description The matched address. */
            normalized_address: string;
            /** @description The parts of an address. Parts without a value are omitted. */
            components: {
                number?: string;
                predirectional?: string;
                pretype?: string;
                street?: string;
                suffix?: string;
                postdirectional?: string;
                unit?: string;
                city?: string;
                county?: string;
                state?: string;
                zip?: string;
            };
            /** @description The geocoder that found the address. */
            provider: string;
            /** @description Where the answer comes from: `cache`, or the same as provider. */
            source: string;
            /** @description Whether the result came from the cache, at no cost. */
            cached: boolean;
            /** @description Differences between the match and the request, each a code, a colon and a message. */
            warnings: string[];
            /** @description Whether the coordinate is precise enough to identify a parcel. */
            parcel_grade: boolean;
            /** @description How imprecise the coordinate can be; null if it is parcel-grade. */
            precision_note: string | null;
        };
        HealthzResponse: {
            /** @constant */
            status: "ok";
            version: string;
            uptime_s: number;
        };
        Error: {
            detail: components["schemas"]["ErrorDetail"];
        };
        InvalidRequest: {
            detail: {
                /** @description The type of the violation, as in Pydantic v2. */
                type: string;
                loc: (string | number)[];
                msg: string;
                input: unknown;
            }[];
        };
        ReadyzResponse: {
            status: "pass" | "warn" | "fail";
            version: string;
            catalog_version: string;
            /** @description The process that answers, if the server has several. Each checks itself. */
            process?: number;
            checks: {
                store: {
                    status: "pass" | "warn" | "fail";
                    /** @description What is wrong and what to do. */
                    message?: string;
                };
                backup?: {
                    status: "pass" | "warn" | "fail";
                    /** @description What is wrong and what to do. */
                    message?: string;
                };
                catalog: {
                    status: "pass" | "warn" | "fail";
                    rejected?: {
                        file: string;
                        errors: string[];
                    }[];
                };
                runs: {
                    status: "pass" | "warn" | "fail";
                    /** @description What is wrong and what to do. */
                    message?: string;
                    failing_runs?: {
                        run_id: string;
                        status: string;
                        worker_losses: number;
                        reason: string | null;
                    }[];
                };
                progress: {
                    status: "pass" | "warn" | "fail";
                    /** @description What is wrong and what to do. */
                    message?: string;
                    stuck?: {
                        kind: "runs" | "worker" | "job";
                        name: string;
                        reason: string;
                    }[];
                };
                packs: {
                    status: "pass" | "warn" | "fail";
                    /** @description What is wrong and what to do. */
                    message?: string;
                    rejected?: {
                        file: string;
                        reason: string;
                    }[];
                    /** @description The areas of the installed packs, and the presets that local data answers completely there. */
                    areas?: {
                        area: string;
                        presets: string[];
                    }[];
                };
                sources: {
                    [key: string]: {
                        state: "cold" | "warming" | "ready" | "degraded" | "off";
                        /** @description The parts of the data that fields read but the publisher no longer provides. */
                        missing?: string[];
                    };
                };
            };
        };
        MetaFieldsResponse: {
            version: string;
            generated_at: string;
            count: number;
            fields: {
                name: string;
                /** @description A title for display. Set only where the name of the field, written as words, would be misleading. */
                label?: string;
                description: string;
                interpretation_hints: string;
                layer: string;
                lifecycle: "experimental" | "beta" | "stable" | "deprecated";
                replaced_by?: string;
                type: "float" | "integer" | "string" | "boolean" | "list";
                /** @description How the field answers POST /v1/areas. The guide page about areas describes the kinds. */
                area_kind: "polygon_classes" | "polygon_share" | "raster_statistics" | "raster_classes" | "raster_share" | "nearest" | "count" | "units" | "representative_point" | "not_for_areas";
                unit: string | null;
                /** @description The number of decimal places of a float. It matches the precision of the source. */
                decimals?: number;
                /**
                 * @description The value is an estimate, and has `moe_90` and `reliability`.
                 * @constant
                 */
                margin_of_error?: true;
                nullable: boolean;
                null_meaning: string | null;
                derivation: string | null;
                presets: string[];
                source: string;
                source_url: string;
                ttl_seconds: number;
                valid_range: null | (number | null)[];
                enum: null | (string | number)[];
                /** @description What the classes of the field mean, in a few words each. */
                class_labels?: {
                    [key: string]: string;
                };
                vintage: string | null;
                /** @description How current the data are, if `vintage` is null. */
                vintage_note?: string;
                evidence: {
                    /** @description `checked_live`: Compared with an answer of the live service. `recorded`: The tests replay a recorded answer of the publisher, or read its embedded data. `reported`: Dated public reports about the service agree with how the field is read. `names_only`: The names and types of the attributes were seen in the metadata of the service, but none of its values. `documented`: Public documentation or code describes the service. None of its answers was seen. `unconfirmed`: A detail of the source could not be confirmed. The field is beta. */
                    kind: "checked_live" | "recorded" | "reported" | "names_only" | "documented" | "unconfirmed";
                    /** @description Where the evidence can be found. For `unconfirmed`: what could not be confirmed. */
                    source: string;
                    /** @description Year, month or day of the recording or report, if it is known. */
                    date: string | null;
                };
                coverage: {
                    regions: string[];
                    note: string | null;
                };
                /** @description The drivers that can answer this field on this server now. */
                providers: string[];
            }[];
            presets: {
                [key: string]: string[];
            };
            /** @description What each preset is for, and what answers it. */
            preset_details: {
                [key: string]: {
                    reason: string;
                    /** @description Members of the preset. */
                    fields: number;
                    /** @description Members that a source on this server can answer now. */
                    answered_now: number;
                    /** @description Members that a server with network access and without keys or packs can answer. */
                    answered_online_without_keys: number;
                    /** @description Members that this server can answer without network access. */
                    answered_offline: number;
                };
            };
            /** @description Fields that a source on this server can answer now. */
            answered_now: number;
            /** @description Fields that this server can answer without network access. */
            answered_offline: number;
            /** @description The box around all places that are served. */
            us_envelope: {
                lat_min: number;
                lat_max: number;
                lng_min: number;
                lng_max: number;
            };
        };
        MetaSourcesResponse: {
            sources: {
                dataset: string;
                source: string;
                title: string;
                publisher: string;
                license: string;
                attribution: string | null;
                source_url: string;
                vintage: string | null;
                vintage_note: string | null;
                /** @description How far values of the dataset can be trusted, and why. A stand-in for another value has `low`. */
                confidence: {
                    level: "high" | "medium" | "low";
                    reason: string;
                };
                shape: string;
                fields: string[];
                /** @description In the order of use. */
                drivers: {
                    driver: string;
                    available: boolean;
                    vintage: string | null;
                    /** @description The provider bills every call. */
                    metered: boolean;
                }[];
                /** @description What this server lacks to read the dataset; null when the dataset is available. */
                unavailable_reason: string | null;
                /** @description The same as parts. */
                missing: null | {
                    /** @description The setting to change; null when no setting helps. */
                    setting: string | null;
                    /** @description The hosts that the dataset is queried from. */
                    hosts: string[];
                    /** @description The packs that the dataset can be read from instead. */
                    packs: string[];
                    /** @description The command that gets the pack; null if there is none, or if it needs an area (`fetchable`). */
                    command: string | null;
                };
                /** @description Whether `fieldstone pack fetch` makes a pack of the dataset for the area of any places. */
                fetchable: boolean;
                /** @description Attributes, columns, layers or paths that fields read, but that the publisher renamed or removed. Only those found missing in the last 24 hours. */
                schema_changed: string[];
                last_success: string | null;
                latency_ms: number | null;
                circuit: string | null;
                /** @description The last call failed; null when it succeeded, and before the first call. */
                failing: null | {
                    /** @description The code and the message of the last error. */
                    error: string;
                    /** @description The time of the first error without a success since. */
                    since: string;
                    /** @description When the source is tried again; null: at the next request. */
                    next_try: string | null;
                };
            }[];
            /** @description The fields that only failing sources can answer. */
            failing_fields: string[];
            /** @description The geocoders of this server, in the order of use. */
            geocoders: {
                name: string;
                metered: boolean;
            }[];
            embedded: {
                layer: string;
                title: string;
                publisher: string;
                license: string;
                attribution: string | null;
                source_url: string;
                vintage: string;
                features: number;
                derivation: string;
                packages: {
                    name: string;
                    version: string;
                    file: string;
                    sha256: string;
                }[];
            }[];
            /** @description The files in the packs folder. */
            packs: {
                /** @description The path in the packs folder. A part of a pack is in a folder. */
                file: string;
                state: "checking" | "live" | "rejected";
                /** @description Why the file is rejected: what was found and what was expected. */
                reason: string | null;
                notes: string[];
                datasets: string[];
                bytes: number;
                /** @description The area of the data, if the manifest names it. */
                area: string | null;
                /** @description When the data was read from the publisher, if the manifest states it. */
                fetched_at: string | null;
                vintage: string | null;
                license: string | null;
                attribution: string | null;
            }[];
            /** @description The areas of the installed packs, and the presets that local data answers completely there. */
            areas: {
                area: string;
                presets: string[];
            }[];
        };
        MetaCoverageResponse: {
            /** @description The number of fields of the catalog. */
            fields: number;
            /** @description All counties, grouped by what answers there. The group with the most fields comes first. */
            groups: {
                /** @description The number of fields that local data answers in these counties. */
                fields: number;
                /** @description The presets that local data answers completely there. Fields without data in that part of the United States are not counted. */
                presets: string[];
                /** @description The FIPS codes of the counties, sorted. */
                counties: string[];
            }[];
        };
        MetaLimitsResponse: {
            limits: {
                [key: string]: {
                    value: number;
                    unit: string;
                    applies_to: string;
                };
            };
        };
        FetchResponse: {
            lat: number;
            lng: number;
            /**
             * Format: date-time
             * @description UTC with an offset.
             */
            fetched_at: string;
            fields: {
                [key: string]: components["schemas"]["FieldResult"];
            };
            /** @description The failed fields. With `on_unknown: "skip"` also the names that are not in the catalog. */
            partial_failures: {
                field: string;
                source: string;
                error: string;
                retryable: boolean;
            }[];
            resolved_location: {
                lat: number;
                lng: number;
                source: "coordinate" | "address";
            };
            geocode?: components["schemas"]["GeocodeSummary"];
        };
        InvalidRequestOrError: components["schemas"]["InvalidRequest"] | components["schemas"]["Error"];
        FetchRequest: {
            /** @description Latitude in WGS 84 degrees. Requires lng. */
            lat?: number;
            /** @description Longitude in WGS 84 degrees, negative in the Americas. Requires lat. */
            lng?: number;
            /** @description US street address, instead of a coordinate, at most 256 characters. */
            address?: string;
            /** @description Names of catalog fields, at most 50. */
            fields?: string[];
            /** @description Name of a preset. Its fields come before those in `fields`. */
            preset?: string;
            /** @description reject: a name that is not in the catalog rejects the request. skip: the other fields are answered, and `partial_failures` lists that name. Default reject. */
            on_unknown?: "reject" | "skip";
            /** @description geometry: each field also has the shapes that it was read from, as GeoJSON. Sources may take longer to send them. */
            include?: "geometry"[];
        };
        FetchBatchRequest: {
            /** @description 1 to 25 locations, each a coordinate or an address. */
            locations: {
                /** @description Latitude in WGS 84 degrees. Requires lng. */
                lat?: number;
                /** @description Longitude in WGS 84 degrees, negative in the Americas. Requires lat. */
                lng?: number;
                /** @description US street address, instead of a coordinate, at most 256 characters. */
                address?: string;
            }[];
            /** @description Names of catalog fields, at most 50. */
            fields?: string[];
            /** @description Name of a preset. Its fields come before those in `fields`. */
            preset?: string;
            /** @description reject: a name that is not in the catalog rejects the request. skip: the other fields are answered, and `partial_failures` lists that name. Default reject. */
            on_unknown?: "reject" | "skip";
        };
        FetchBatchResponse: {
            /**
             * Format: date-time
             * @description UTC with an offset.
             */
            fetched_at: string;
            results: ({
                index: number;
                /** @constant */
                ok: true;
                lat: number;
                lng: number;
                /**
                 * Format: date-time
                 * @description UTC with an offset.
                 */
                fetched_at: string;
                fields: {
                    [key: string]: components["schemas"]["FieldResult"];
                };
                /** @description The failed fields. With `on_unknown: "skip"` also the names that are not in the catalog. */
                partial_failures: {
                    field: string;
                    source: string;
                    error: string;
                    retryable: boolean;
                }[];
                resolved_location: {
                    lat: number;
                    lng: number;
                    source: "coordinate" | "address";
                };
                geocode?: components["schemas"]["GeocodeSummary"];
            } | {
                index: number;
                /** @constant */
                ok: false;
                /**
                 * Format: date-time
                 * @description UTC with an offset.
                 */
                fetched_at: string;
                error: components["schemas"]["ErrorDetail"];
            })[];
        };
        AreasRequest: {
            /** @description A GeoJSON geometry (RFC 7946), not a Feature. Positions are [longitude, latitude] in WGS 84 degrees. At most 10,000 positions, 25,000 km² and 2,000 km of line. A polygon may not cross itself. No part may cross the antimeridian, but parts may lie on both sides of it. */
            geometry?: {
                type: "Polygon" | "MultiPolygon" | "LineString" | "MultiLineString";
                coordinates: (number | (number | (number | number[])[])[])[][];
            };
            /** @description The circle around a coordinate. */
            around?: {
                /** @description Latitude of the center in WGS 84 degrees. */
                lat: number;
                /** @description Longitude of the center in WGS 84 degrees. */
                lng: number;
                /** @description The radius along the ground, in meters. At least 0.01. */
                radius_m: number;
            };
            /** @description Every place within half the width of a line. */
            corridor?: {
                /** @description A GeoJSON line, longitude first. */
                line: {
                    type: "LineString" | "MultiLineString";
                    coordinates: (number | (number | (number | number[])[])[])[][];
                };
                /** @description The full width in meters: half of it on each side of the line. Its ends are round. At least 0.01. */
                width_m: number;
            };
            /** @description The five-digit FIPS code of a county or its equivalent. */
            county_fips?: string;
            /** @description The parcel that contains a coordinate or an address. The provider bills it, and the token needs the parcel scope. */
            parcel_of?: {
                /** @description Latitude in WGS 84 degrees. Requires lng. */
                lat?: number;
                /** @description Longitude in WGS 84 degrees, negative in the Americas. Requires lat. */
                lng?: number;
                /** @description US street address, instead of a coordinate, at most 256 characters. */
                address?: string;
            };
            /** @description Names of catalog fields, at most 50. */
            fields?: string[];
            /** @description Name of a preset. Its fields come before those in `fields`. */
            preset?: string;
            /** @description reject: a name that is not in the catalog rejects the request. skip: the other fields are answered, and `partial_failures` lists that name. Default reject. */
            on_unknown?: "reject" | "skip";
            /** @description geometry: each field that divides the area also has its parts as GeoJSON, joined by value. outline: the answer also has the outline of the area. Both are simplified for a map, and a parcel has neither. */
            include?: ("geometry" | "outline")[];
        };
        AreasResponse: {
            /** @description The area of a polygon on the WGS 84 ellipsoid. */
            area_m2?: number;
            /** @description The length of a line on the WGS 84 ellipsoid. */
            length_m?: number;
            /** @description A point in the area or on the line. Fields that are computed from a coordinate are answered there. */
            representative_point: {
                lat: number;
                lng: number;
            };
            /** @description Only with `include=outline`: the area or the line, simplified for a map. A parcel has none. */
            outline?: Record<string, never>;
            /**
             * Format: date-time
             * @description UTC with an offset.
             */
            fetched_at: string;
            fields: {
                [key: string]: components["schemas"]["AreaFieldResult"];
            };
            /** @description The failed fields. */
            partial_failures: {
                field: string;
                source: string;
                error: string;
                retryable: boolean;
            }[];
        };
        FunctionsSnowflakeRequest: {
            /** @description Rows: `[number, lat, lng]` or `[number, address]`, numbered from 0. */
            data: unknown[][];
        };
        FunctionsSnowflakeResponse: {
            /** @description Rows: the number and an object, or null if an argument is null. */
            data: unknown[][];
        };
        FunctionsSnowflakeAccepted: {
            run_id: string;
            status: "queued" | "running" | "done" | "cancelled" | "failed";
            retry_of?: string;
            /** @description The path of the run, for polling. */
            poll: string;
            /** @description The path of the events of the run. */
            events: string;
            links: {
                self: string;
                events: string;
                results: string;
                csv: string;
                geojson: string;
                parquet: string;
                ndjson: string;
                xlsx: string;
                gpkg: string;
                cancel: string;
                retry: string;
            };
        };
        FunctionsBigqueryRequest: {
            requestId?: string;
            /** @description Rows: `[lat, lng]` or `[address]`. */
            calls: unknown[][];
        };
        FunctionsBigqueryResponse: {
            /** @description For each row, in the same order: an object as JSON text, or null if an argument is null. */
            replies: (string | null)[];
        };
        FunctionsRedshiftRequest: {
            num_records?: number;
            /** @description Rows: `[lat, lng]` or `[address]`. */
            arguments: unknown[][];
        };
        FunctionsRedshiftResponse: {
            /** @constant */
            success: true;
            num_records: number;
            /** @description For each row, in the same order: an object as JSON text, or null if an argument is null. */
            results: (string | null)[];
        };
        GeocodeRequest: {
            /** @description One US street address, or two crossing streets and a town, at most 256 characters. */
            address: string;
        };
        GeocodeResponse: {
            lat: number;
            lng: number;
            /**
             * Format: date-time
             * @description UTC with an offset.
             */
            fetched_at: string;
            /** @description rooftop and nearest_rooftop_match are precise enough for parcels. With any other accuracy, confirm the address. */
            accuracy_type: "rooftop" | "nearest_rooftop_match" | "point" | "range_interpolation" | "intersection" | "street_center";
            /** @description How well the match agrees with the request. Fieldstone compares them part by part, and reduces the score of the geocoder for every part that differs. The Census geocoder gives no score, so this comparison alone determines the score of its matches. */
            accuracy: number;
            /** @description exact: all parts of the request agree with the match. approximate: `warnings` lists the differences. */
            match_type: "exact" | "approximate";
            /** @description The matched address. */
            normalized_address: string;
            /** @description The parts of an address. Parts without a value are omitted. */
            components: {
                number?: string;
                predirectional?: string;
                pretype?: string;
                street?: string;
                suffix?: string;
                postdirectional?: string;
                unit?: string;
                city?: string;
                county?: string;
                state?: string;
                zip?: string;
            };
            /** @description The geocoder that found the address. */
            provider: string;
            /** @description Where the answer comes from: `cache`, or the same as provider. */
            source: string;
            /** @description Whether the result came from the cache, at no cost. */
            cached: boolean;
            /** @description Differences between the match and the request, each a code, a colon and a message. */
            warnings: string[];
        };
        LookupRequest: {
            /** @description A US address, a coordinate, a grid reference, a plus code or a parcel number, at most 256 characters. Coordinates are latitude first. */
            input: string;
            /** @description Whether to include the parcel. The provider bills it, and the token needs the parcel scope. Default false; with FIELDSTONE_PARCEL_DEFAULT=on true, if the server has a provider and the token has the scope. */
            include_parcel?: boolean;
        };
        LookupResponse: {
            /** @constant */
            disposition: "resolved";
            lat: number;
            lng: number;
            resolved_address: string | null;
            /** @description `coordinate`, or `geocode_` followed by the accuracy type. */
            match_method: string;
            confidence: number;
            /**
             * Format: date-time
             * @description UTC with an offset.
             */
            fetched_at: string;
            resolved_location: {
                lat: number;
                lng: number;
                source: "coordinate" | "address";
            };
            /** @description Differences between the match and the request. */
            warnings: string[];
            parcel_unavailable: boolean;
            parcel_unavailable_reason: null | ("not_requested" | "provider_not_configured" | "regrid_quota_exhausted" | "parcel_lookup_transient_error" | "parcel_lookup_malformed_response" | "parcel_match_too_far" | "no_parcel_at_point" | "coarse_geocode");
            parcel: null | {
                /** @description The id of the parcel at its provider. */
                parcel_id: string | null;
                /** @description The assessor's parcel number. */
                apn: string | null;
                address: string | null;
                county_fips: string | null;
                area_m2: number | null;
                /** @description The outline as GeoJSON text. Your contract with the provider says what you may show to others. */
                geometry: string | null;
                /** @description The outline as well-known text, of all its polygons. */
                geometry_wkt: string | null;
                owner: string | null;
                zoning: string | null;
                land_use: string | null;
                year_built: number | null;
                assessed_value_usd: number | null;
                last_sale_date: string | null;
                last_sale_price_usd: number | null;
                /**
                 * @description The parcel contains the point.
                 * @constant
                 */
                match_type: "contains";
                match_distance_m: number;
                match_radius_m: number;
                source: string;
                /** @description A point inside the parcel. */
                interior_point_lat: number | null;
                interior_point_lng: number | null;
            };
            state_fips: string | number | boolean | null;
            state: string | number | boolean | null;
            state_code: string | number | boolean | null;
            county_fips: string | number | boolean | null;
            county: string | number | boolean | null;
            tract_geoid: string | number | boolean | null;
            block_group_geoid: string | number | boolean | null;
            block_geoid: string | number | boolean | null;
            congressional_district: string | number | boolean | null;
            cbsa_name: string | number | boolean | null;
            cbsa_code: string | number | boolean | null;
            elevation_m: string | number | boolean | null;
            fema_flood_zone: string | number | boolean | null;
            within_floodplain: string | number | boolean | null;
            coastal_high_hazard: string | number | boolean | null;
            in_opportunity_zone: string | number | boolean | null;
            opportunity_zone_tract_geoid: string | number | boolean | null;
            timezone: string | number | boolean | null;
            county_market: {
                /** @description Edition of the population estimates. If they have no value, edition of the first member with a value. Null when no member has a value. */
                as_of: string | null;
                population: string | number | boolean | null;
                population_growth_1yr_pct: string | number | boolean | null;
                net_domestic_migration: string | number | boolean | null;
                building_permits_total_annual: string | number | boolean | null;
                building_permits_sf_annual: string | number | boolean | null;
                building_permits_yoy_pct: string | number | boolean | null;
                hpi_yoy_pct: string | number | boolean | null;
                employment_total: string | number | boolean | null;
                employment_yoy_pct: string | number | boolean | null;
                median_household_income_usd: string | number | boolean | null;
            };
            /** @description Members that are null because their source failed. */
            context_failures: {
                /** @description Its name, such as elevation_m or county_market.population. */
                member: string;
                /** @description The catalog field of the member. */
                field: string;
                source: string;
                dataset_vintage: string | null;
                /** @description The error code. */
                reason: string;
                /** @description A code, a colon and a message. */
                error: string;
                retryable: boolean;
            }[];
        } | {
            /** @constant */
            disposition: "clarify";
            /**
             * Format: date-time
             * @description UTC with an offset.
             */
            fetched_at: string;
            hint: string;
            candidates: {
                resolved_address: string;
                lat: number;
                lng: number;
                confidence: number;
                match_method: string;
                accuracy_type: string;
            }[];
        } | {
            /** @constant */
            disposition: "no_match";
            /**
             * Format: date-time
             * @description UTC with an offset.
             */
            fetched_at: string;
            reason: "apn_not_supported_in_v1" | "address_not_found" | "wrong_locality" | "address_too_coarse" | "address_outside_us" | "address_form_unsupported";
            hint: string;
            /** @description With address_not_found, the matches with a low score; with wrong_locality, those in another town, if there are any. With address_too_coarse, the towns, ZIP codes, counties, airports or tide stations that the text names. */
            candidates?: {
                resolved_address: string;
                lat: number;
                lng: number;
                confidence: number;
                match_method: string;
                accuracy_type: string;
            }[];
        };
        AskRequest: {
            /** @description A question about the place, at most 2000 characters. */
            question: string;
            /** @description Latitude in WGS 84 degrees. Requires lng. */
            lat?: number;
            /** @description Longitude in WGS 84 degrees, negative in the Americas. Requires lat. */
            lng?: number;
            /** @description US street address, instead of a coordinate, at most 256 characters. */
            address?: string;
            /** @description Which units the text of the answer states first. Default us. Values are not affected. */
            units?: "us" | "metric";
            /** @description Whether to include the trace. Default false. */
            include_trace?: boolean;
        };
        AskResponse: {
            lat: number;
            lng: number;
            question: string;
            /**
             * Format: date-time
             * @description UTC with an offset.
             */
            answered_at: string;
            /**
             * Format: date-time
             * @description UTC with an offset.
             */
            fetched_at: string;
            /** @description Plain text; [n] refers to citations. */
            answer: string;
            /** @description high: the fields cover all main words of the question, and all have values. medium: a field failed, or some main words match a field only by full-text search. low: no field has a value, or a main word has no field. Also low: a place in the question could not be located, or the answer has a number that was not fetched. */
            confidence: "high" | "medium" | "low";
            /** @description One per source of the used fields. */
            citations: {
                id: number;
                source: string;
                source_name: string;
                source_url: string;
                fields: string[];
                dataset_vintage: string | null;
                /**
                 * Format: date-time
                 * @description UTC with an offset.
                 */
                fetched_at: string;
                /** @description The lowest confidence of the fields. */
                confidence: "high" | "medium" | "low";
            }[];
            /** @description The fields that the text of the answer uses. */
            fields_used: string[];
            /** @description Fields without a value, each with its absent reason or error code. */
            data_gaps: {
                field: string;
                reason: string;
            }[];
            fields: {
                [key: string]: components["schemas"]["FieldResult"];
            };
            resolved_location: {
                lat: number;
                lng: number;
                source: "coordinate" | "address";
            };
            geocode?: components["schemas"]["GeocodeSummary"];
            /** @description Other places that the question names, with their values. `fields` holds the values at the location of the request. */
            named_places?: {
                name: string;
                lat: number;
                lng: number;
                fields: {
                    [key: string]: components["schemas"]["FieldResult"];
                };
            }[];
            /** @description Only with include_trace. */
            trace?: {
                planner_model: string;
                synthesizer_model: string;
                planner_reasoning: string;
                fields_requested: string[];
                preset_expanded: string | null;
                latency_ms: {
                    planner_ms: number;
                    fetch_ms: number;
                    synth_ms: number;
                    total_ms: number;
                };
                cache_creation_input_tokens: number;
                cache_read_input_tokens: number;
            };
        };
        RunsRequest: {
            /** @description One of fetch_batch, area_batch, geocode_batch, lookup_batch. */
            kind: string;
            /** @description A name for lists, at most 200 characters. A repeated request with the same Idempotency-Key can have a different name. */
            name?: string;
            request: {
                /** @description For fetch_batch: 1 to 10000 locations, each a coordinate or an address. */
                locations?: {
                    /** @description Latitude in WGS 84 degrees. Requires lng. */
                    lat?: number;
                    /** @description Longitude in WGS 84 degrees, negative in the Americas. Requires lat. */
                    lng?: number;
                    /** @description US street address, instead of a coordinate, at most 256 characters. */
                    address?: string;
                }[];
                /** @description For area_batch: 1 to 10000 areas, each a geometry, around, corridor, county_fips or parcel_of. Each parcel is billed, and needs the scope parcel. */
                areas?: {
                    /** @description A GeoJSON geometry (RFC 7946), not a Feature. Positions are [longitude, latitude] in WGS 84 degrees. At most 10,000 positions, 25,000 km² and 2,000 km of line. A polygon may not cross itself. No part may cross the antimeridian, but parts may lie on both sides of it. */
                    geometry?: {
                        type: "Polygon" | "MultiPolygon" | "LineString" | "MultiLineString";
                        coordinates: (number | (number | (number | number[])[])[])[][];
                    };
                    /** @description The circle around a coordinate. */
                    around?: {
                        /** @description Latitude of the center in WGS 84 degrees. */
                        lat: number;
                        /** @description Longitude of the center in WGS 84 degrees. */
                        lng: number;
                        /** @description The radius along the ground, in meters. At least 0.01. */
                        radius_m: number;
                    };
                    /** @description Every place within half the width of a line. */
                    corridor?: {
                        /** @description A GeoJSON line, longitude first. */
                        line: {
                            type: "LineString" | "MultiLineString";
                            coordinates: (number | (number | (number | number[])[])[])[][];
                        };
                        /** @description The full width in meters: half of it on each side of the line. Its ends are round. At least 0.01. */
                        width_m: number;
                    };
                    /** @description The five-digit FIPS code of a county or its equivalent. */
                    county_fips?: string;
                    parcel_of?: {
                        /** @description Latitude in WGS 84 degrees. Requires lng. */
                        lat?: number;
                        /** @description Longitude in WGS 84 degrees, negative in the Americas. Requires lat. */
                        lng?: number;
                        /** @description US street address, instead of a coordinate, at most 256 characters. */
                        address?: string;
                    };
                }[];
                /** @description For the other kinds: 1 to 10000 locations, each as a string. */
                inputs?: string[];
                /** @description For fetch_batch and area_batch: names of catalog fields, at most 50. */
                fields?: string[];
                /** @description For fetch_batch and area_batch: name of a preset. Its fields come before those in `fields`. */
                preset?: string;
                /** @description reject: a name that is not in the catalog rejects the request. skip: the other fields are answered, and `partial_failures` lists that name. Default reject. */
                on_unknown?: "reject" | "skip";
                /** @description For lookup_batch: whether to include the parcels. Each is billed. Requires the scope parcel. */
                include_parcel?: boolean;
            };
        };
        RunsResponse: {
            run_id: string;
            /** @description The name given at submission, for example the name of the uploaded file. A retry has the same name. */
            name: null | string;
            kind: "fetch_batch" | "geocode_batch" | "lookup_batch" | "area_batch";
            status: "queued" | "running" | "done" | "cancelled" | "failed";
            /**
             * Format: date-time
             * @description UTC with an offset.
             */
            created_at: string;
            /** Format: date-time */
            started_at: string | null;
            /** Format: date-time */
            finished_at: string | null;
            /**
             * Format: date-time
             * @description When the status last changed, or the run was asked to stop.
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When the run is deleted.
             */
            expires_at: string;
            progress: {
                total: number;
                done: number;
                ok: number;
                failed: number;
            };
            /** @description For fetch_batch and area_batch: the number of values, one per location and field, and how many have failed so far. All values of a failed location count as failed. Null for other kinds. */
            values: null | {
                total: number;
                failed: number;
            };
            catalog_version: string;
            retry_of: string | null;
            /** @description Number of answered locations that a retry would repeat. */
            retryable_locations: number;
            error: null | components["schemas"]["ErrorDetail"];
            /** @description The path of the run, for polling. */
            poll: string;
            /** @description The path of the events of the run. */
            events: string;
            links: {
                self: string;
                events: string;
                results: string;
                csv: string;
                geojson: string;
                parquet: string;
                ndjson: string;
                xlsx: string;
                gpkg: string;
                cancel: string;
                retry: string;
            };
            /** @description The submitted request. */
            request: {
                [key: string]: unknown;
            };
            /** @description Null until the run is finished. */
            result: null | {
                /**
                 * Format: date-time
                 * @description UTC with an offset.
                 */
                fetched_at: string;
                results: components["schemas"]["RunsResultsItemResponse"][];
            };
        };
        GetRunsResponse: {
            items: components["schemas"]["RunsCancelResponse"][];
            next_cursor: string | null;
        };
        RunsItemResponse: components["schemas"]["RunsResponse"] | components["schemas"]["RunsCancelResponse"];
        RunsResultsResponse: {
            items: components["schemas"]["RunsResultsItemResponse"][];
            next_cursor: string | null;
        };
        /** @description What the endpoint for one location, such as /v1/fetch, returns for this location. The entries of a retry have original_index. */
        RunsResultsItemResponse: {
            index: number;
            ok: boolean;
        } & {
            [key: string]: unknown;
        };
        RunsArtifactsReportResponse: {
            locations: {
                total: number;
                ok: number;
                failed: number;
            };
            values: {
                total: number;
                ok: number;
                absent: number;
                failed: number;
            };
            /** @description For each value of a field, the number of locations that have it. Only for fields with text values, and only if there are at most 20 different values. */
            value_counts?: {
                [key: string]: {
                    [key: string]: number;
                };
            };
            /** @description Answered locations that have no value and are outside the coverage of at least one field, for example in another country. */
            uncovered_locations: number;
            location_errors: {
                error: string;
                /** @description The message of the first of these locations. */
                message: string;
                retryable: boolean;
                locations: number;
                first_index: number;
            }[];
            /** @description Excludes the fields of failed locations. */
            field_errors: {
                error: string;
                source: string | null;
                /** @description The message of the first of these values. */
                message: string;
                retryable: boolean;
                fields: string[];
                values: number;
            }[];
        };
        RunsCancelResponse: {
            run_id: string;
            /** @description The name given at submission, for example the name of the uploaded file. A retry has the same name. */
            name: null | string;
            kind: "fetch_batch" | "geocode_batch" | "lookup_batch" | "area_batch";
            status: "queued" | "running" | "done" | "cancelled" | "failed";
            /**
             * Format: date-time
             * @description UTC with an offset.
             */
            created_at: string;
            /** Format: date-time */
            started_at: string | null;
            /** Format: date-time */
            finished_at: string | null;
            /**
             * Format: date-time
             * @description When the status last changed, or the run was asked to stop.
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When the run is deleted.
             */
            expires_at: string;
            progress: {
                total: number;
                done: number;
                ok: number;
                failed: number;
            };
            /** @description For fetch_batch and area_batch: the number of values, one per location and field, and how many have failed so far. All values of a failed location count as failed. Null for other kinds. */
            values: null | {
                total: number;
                failed: number;
            };
            catalog_version: string;
            retry_of: string | null;
            /** @description Number of answered locations that a retry would repeat. */
            retryable_locations: number;
            error: null | components["schemas"]["ErrorDetail"];
            /** @description The path of the run, for polling. */
            poll: string;
            /** @description The path of the events of the run. */
            events: string;
            links: {
                self: string;
                events: string;
                results: string;
                csv: string;
                geojson: string;
                parquet: string;
                ndjson: string;
                xlsx: string;
                gpkg: string;
                cancel: string;
                retry: string;
            };
        };
        RunsRetryRequest: {
            /** @description Retries only these failed locations, with a new coordinate or address (fetch_batch) or a new input. */
            corrections?: {
                /** @description Index of a failed location of the run. */
                index: number;
                /** @description Latitude in WGS 84 degrees. Requires lng. */
                lat?: number;
                /** @description Longitude in WGS 84 degrees, negative in the Americas. Requires lat. */
                lng?: number;
                /** @description US street address, instead of a coordinate, at most 256 characters. */
                address?: string;
                /** @description For the kinds geocode_batch and lookup_batch: the new text. */
                input?: string;
            }[];
        };
        UsersMeResponse: {
            id: string;
            name: string;
            scopes: ("fetch" | "geocode" | "lookup" | "parcel" | "ask" | "runs" | "admin")[];
            user: {
                /** @description The same as id. */
                uid: string;
                /** @description Always null: this server has no addresses of people. */
                email: string | null;
                name: string;
            };
            /** @description The settings of the account. */
            settings: {
                [key: string]: unknown;
            };
            /** @description Only for browser sessions: the value to send in X-CSRF-Token. */
            csrf_token?: string;
        };
        UsersMeTokensResponse: {
            items: {
                id: string;
                name: string;
                last_four: string;
                scopes: ("fetch" | "geocode" | "lookup" | "parcel" | "ask" | "runs" | "admin")[];
                /**
                 * Format: date-time
                 * @description UTC with an offset.
                 */
                created_at: string;
                /**
                 * Format: date-time
                 * @description Null: never.
                 */
                expires_at: string | null;
                /** Format: date-time */
                last_used_at: string | null;
            }[];
            next_cursor: string | null;
        };
        UsersMeTokensRequest: {
            /** @description A name to recognize the token by. */
            name: string;
            /** @description Scopes of the new token. They cannot exceed the scopes of the token that creates it. */
            scopes: ("fetch" | "geocode" | "lookup" | "parcel" | "ask" | "runs" | "admin")[];
            /** @description Lifetime in days, 1 to 3650, or never. Default 90, or less if the token of this request expires earlier. */
            expires_in_days?: number | "never";
        };
        PostUsersMeTokensResponse: {
            id: string;
            name: string;
            last_four: string;
            scopes: ("fetch" | "geocode" | "lookup" | "parcel" | "ask" | "runs" | "admin")[];
            /**
             * Format: date-time
             * @description UTC with an offset.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Null: never.
             */
            expires_at: string | null;
            /** Format: date-time */
            last_used_at: string | null;
            token: string;
        };
        UsersMeUsageResponse: {
            from: string;
            to: string;
            items: {
                day: string;
                endpoint: string;
                requests: number;
                fields: number;
                /** @description Calls that the provider bills. */
                metered_calls: number;
                sources: {
                    source: string;
                    requests: number;
                    fields: number;
                    /** @description Calls that the provider bills. */
                    metered_calls: number;
                }[];
            }[];
            next_cursor: string | null;
        };
        UsersMeLoginsResponse: {
            items: {
                id: string;
                client_id: string;
                /** @description The name that the client gave itself. */
                client_name: string;
                scopes: string[];
                /** @description The URL that the login is for. Several are separated by spaces. */
                resource: string;
                /**
                 * Format: date-time
                 * @description UTC with an offset.
                 */
                created_at: string;
            }[];
            next_cursor: string | null;
        };
        UsersMeSessionsResponse: {
            items: {
                /**
                 * Format: date-time
                 * @description UTC with an offset.
                 */
                created_at: string;
                /**
                 * Format: date-time
                 * @description UTC with an offset.
                 */
                expires_at: string;
                /** @description Whether this request uses the session. */
                is_current: boolean;
            }[];
            next_cursor: string | null;
        };
        UsersMeSharesResponse: {
            items: {
                id: string;
                kind: "run" | "report";
                title: string;
                /** @description The shared run; null for a report. */
                run_id: string | null;
                /**
                 * Format: date-time
                 * @description UTC with an offset.
                 */
                created_at: string;
                /**
                 * Format: date-time
                 * @description UTC with an offset.
                 */
                expires_at: string;
            }[];
            next_cursor: string | null;
        };
        UsersMeSharesRequest: {
            /** @description A finished run. The link shows its results. */
            run_id?: string;
            /** @description The query of `GET /report`, such as `at=39.7392,-104.9903&preset=flood_risk`. The report is made now, and the link shows it unchanged. */
            report?: string;
            /** @description Lifetime in days, 1 to 365. Default 30. The link of a run ends with the run at the latest. */
            expires_in_days?: number;
        };
        PostUsersMeSharesResponse: {
            id: string;
            kind: "run" | "report";
            title: string;
            /** @description The shared run; null for a report. */
            run_id: string | null;
            /**
             * Format: date-time
             * @description UTC with an offset.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description UTC with an offset.
             */
            expires_at: string;
            /** @description The page that the link opens. It is shown once. */
            url: string;
        };
        UsersMePinsResponse: {
            items: components["schemas"]["PostUsersMePinsResponse"][];
            next_cursor: string | null;
        };
        UsersMePinsRequest: {
            /** @description A name to recognize the pin by, at most 100 characters. */
            name: string;
            /** @description A coordinate in the US to pin. */
            place?: {
                lat: number;
                lng: number;
            };
            /** @description A preset of the catalog to pin. */
            preset?: string;
            /** @description Names of fields to pin as a preset of your own, at most 50. */
            fields?: string[];
        };
        PostUsersMePinsResponse: {
            id: string;
            name: string;
            place: {
                lat: number;
                lng: number;
            } | null;
            /** @description The name of a preset of the catalog. */
            preset: string | null;
            /** @description Names of fields, in the order of the pin. */
            fields: string[] | null;
            /**
             * Format: date-time
             * @description UTC with an offset.
             */
            created_at: string;
        };
        UsersResponse: {
            items: {
                id: string;
                name: string;
                scopes: ("fetch" | "geocode" | "lookup" | "parcel" | "ask" | "runs" | "admin")[];
                /**
                 * Format: date-time
                 * @description UTC with an offset.
                 */
                created_at: string;
                /** @description False until the user accepts the invitation. */
                has_password: boolean;
            }[];
            next_cursor: string | null;
        };
        UsersRequest: {
            /** @description 1 to 64 letters, digits and . _ @ + - */
            name: string;
            scopes?: ("fetch" | "geocode" | "lookup" | "parcel" | "ask" | "runs" | "admin")[];
        };
        PostUsersResponse: {
            id: string;
            name: string;
            scopes: ("fetch" | "geocode" | "lookup" | "parcel" | "ask" | "runs" | "admin")[];
            /**
             * Format: date-time
             * @description UTC with an offset.
             */
            created_at: string;
            /** @description False until the user accepts the invitation. */
            has_password: boolean;
            /** @description The page to set a password. The link works once. */
            invitation_url: string;
            /**
             * Format: date-time
             * @description UTC with an offset.
             */
            invitation_expires_at: string;
        };
        McpDeviceStartRequest: Record<string, never>;
        McpDeviceStartResponse: {
            /** @description The page where the user enters the code. */
            verification_uri: string;
            /** @description The same page with the code filled in. */
            verification_uri_complete: string;
            user_code: string;
            /** @description The secret of this login, for polling. */
            device_code: string;
            /** @description Seconds between two polls. */
            interval: number;
            /** @description Seconds until the code expires. */
            expires_in: number;
        };
        McpDevicePollRequest: {
            device_code: string;
        };
        McpDevicePollResponse: {
            status: "pending" | "approved" | "denied" | "expired";
            /** @description Only with approved: the access token. It is shown once. */
            token: string | null;
            /** @description Only with approved: the last four characters of the token. */
            token_id: string | null;
            /** @description Only with approved: gets the next token at /oauth/token. */
            refresh_token: string | null;
            /** @description Only with approved: seconds until the token expires. */
            expires_in: number | null;
        };
        ProximityRequest: {
            /** @description nearest: the nearest features of `set`. distance: how far `destination` is. */
            op: "nearest" | "distance";
            /** @description A coordinate as text with the latitude first, an address of at most 256 characters, or an object with lat and lng, or address. */
            origin: string | {
                /** @description Latitude in WGS 84 degrees. Requires lng. */
                lat?: number;
                /** @description Longitude in WGS 84 degrees, negative in the Americas. Requires lat. */
                lng?: number;
                /** @description US street address, instead of a coordinate, at most 256 characters. */
                address?: string;
            };
            /** @description A coordinate as text with the latitude first, an address of at most 256 characters, or an object with lat and lng, or address. */
            destination?: string | {
                /** @description Latitude in WGS 84 degrees. Requires lng. */
                lat?: number;
                /** @description Longitude in WGS 84 degrees, negative in the Americas. Requires lat. */
                lng?: number;
                /** @description US street address, instead of a coordinate, at most 256 characters. */
                address?: string;
            };
            /** @description For nearest: a named set, such as `@airports`. */
            set?: string;
            /** @description For nearest: how many, at most 25. Default 1. */
            n?: number;
            /** @description Only straight lines are measured. Default straightline. */
            mode?: "straightline" | "driving";
        };
        ProximityResponse: {
            /** @constant */
            op: "nearest";
            origin: {
                query: string;
                lat: number;
                lng: number;
                formatted_address: string | null;
                accuracy_type: string | null;
                accuracy: number | null;
                error: string | null;
            };
            applied_filters: string | null;
            /** @description Always 0: nothing is billed. */
            paid_driving_calcs: number;
            /** @description Always 0: nothing is billed. */
            credits_charged: number;
            notes: string[];
            candidates: {
                name: string;
                lat: number;
                lng: number;
                attributes: {
                    [key: string]: string | number | boolean | null;
                };
                distance_miles: number;
                distance_km: number;
                /** @description A straight line has no duration. */
                duration_seconds: string | null;
                duration_minutes: string | null;
            }[];
        } | {
            /** @constant */
            op: "distance";
            origin: {
                query: string;
                lat: number;
                lng: number;
                formatted_address: string | null;
                accuracy_type: string | null;
                accuracy: number | null;
                error: string | null;
            };
            applied_filters: string | null;
            /** @description Always 0: nothing is billed. */
            paid_driving_calcs: number;
            /** @description Always 0: nothing is billed. */
            credits_charged: number;
            notes: string[];
            destination: {
                query: string;
                lat: number;
                lng: number;
                formatted_address: string | null;
                accuracy_type: string | null;
                accuracy: number | null;
                error: string | null;
            };
            distance_miles: number;
            distance_km: number;
            /** @description A straight line has no duration. */
            duration_seconds: string | null;
            duration_minutes: string | null;
        };
        PacksPlanRequest: {
            /** @description A county ("Boulder County, CO" or 08013), a state (Colorado, CO or 08), a metropolitan area (cbsa:14500), or <west>,<south>,<east>,<north>. */
            area: string;
            /** @description The presets to answer there. */
            presets: string[];
            /** @description Data is copied only in these hours of the day, such as `22:00-06:00`, in the time zone of the server. Plans do not wait. */
            between?: string;
        };
        PacksPlanResponse: {
            area: string;
            datasets: {
                dataset: string;
                title: string;
                license: string;
                /** @description The fields that read the dataset. If it is impossible: those that nothing else answers. */
                fields: string[];
                /** @description built_in: part of the executable. file: built from the files of the publisher. service: copied from the service. impossible: the reason says why. */
                how: "built_in" | "file" | "service" | "impossible";
                requests: number | null;
                bytes: number | null;
                seconds: number | null;
                reason: string | null;
            }[];
        };
        PacksFetchAccepted: {
            status: "running" | "succeeded" | "failed" | "cancelled";
            area: string;
            presets: string[];
            /** @description The hours of the day in which data is copied. */
            between?: string;
            /**
             * Format: date-time
             * @description UTC with an offset.
             */
            started_at: string;
            /** Format: date-time */
            finished_at: string | null;
            /** @description Empty until the plan is made. */
            datasets: {
                dataset: string;
                title: string;
                state: "waiting" | "running" | "done" | "failed";
                /** @description The share that is copied, from 0 to 1. */
                done: number;
                requests: number;
                features: number;
                bytes: number;
                /** @description Why the dataset failed, or what its copy waits for. */
                message: string | null;
            }[];
            /** @description How many of the fields can be answered in the area without a network. */
            answered: number | null;
            /** @description The number of fields of the presets. */
            fields: number | null;
            /** @description Why the fetch failed. */
            message: string | null;
        };
        PacksFetchResponse: {
            fetch: null | components["schemas"]["PacksFetchAccepted"];
        };
        TilesResponse: {
            items: components["schemas"]["TilesItemResponse"][];
            /** @description The base map of the packs folder; null without one, and if it cannot be used. */
            basemap: components["schemas"]["TilesItemResponse"] | null;
            /** @description Why the base map cannot be used. */
            basemap_error: string | null;
        };
        /** @description TileJSON 3.0.0, with the fields that a map can color the features by. */
        TilesItemResponse: {
            /** @constant */
            tilejson: "3.0.0";
            /** @description The dataset. Its tiles have one layer of this name. */
            id: string;
            name: string;
            /** @description The publisher and the license, as text. */
            attribution: string;
            vintage: string | null;
            /** @description The URL of a tile, with {z}, {x} and {y}. */
            tiles: string[];
            minzoom: number;
            maxzoom: number;
            /** @description West, south, east, north. */
            bounds: number[];
            vector_layers: {
                id: string;
                fields: {
                    [key: string]: string;
                };
            }[];
            /** @description The fields whose value is an attribute of the feature at a point, or a number of the nearest feature. */
            colored_fields: {
                /** @description The field. */
                name: string;
                /** @description The attribute of the features with its value. */
                attribute: string;
                /** @description What the values of the attribute mean, in the order of the catalog. Empty if the catalog has no list. */
                classes: {
                    value: string;
                    text: string;
                }[];
                /** @description How to read the numbers of the attribute; null if its values are text. */
                numbers: {
                    unit: string | null;
                    /** @description Numbers of the attribute that mean that it has no value. */
                    no_value: number[];
                } | null;
            }[];
        };
        OgcResponse: {
            title: string;
            description: string;
            links: {
                href: string;
                rel: string;
                type?: string;
                title?: string;
            }[];
        };
        OgcConformanceResponse: {
            conformsTo: string[];
        };
        OgcCollectionsResponse: {
            collections: components["schemas"]["OgcCollectionsItemResponse"][];
            links: {
                href: string;
                rel: string;
                type?: string;
                title?: string;
            }[];
        };
        OgcCollectionsItemResponse: {
            /** @description The dataset. */
            id: string;
            title: string;
            /** @description The publisher and the license, as text. */
            attribution: string;
            /** @description Date or edition of the data. */
            vintage: string | null;
            /** @constant */
            itemType: "feature";
            crs: string[];
            extent: {
                spatial: {
                    /** @description West, south, east, north. */
                    bbox: number[][];
                    crs: string;
                };
            };
            links: {
                href: string;
                rel: string;
                type?: string;
                title?: string;
            }[];
        };
        EdrCollectionsResponse: {
            collections: components["schemas"]["EdrCollectionsItemResponse"][];
            links: {
                href: string;
                rel: string;
                type?: string;
                title?: string;
            }[];
        };
        EdrCollectionsItemResponse: {
            id: string;
            title: string;
            description: string;
            links: {
                href: string;
                rel: string;
                type?: string;
                title?: string;
            }[];
            extent: {
                spatial: {
                    /** @description West, south, east, north. */
                    bbox: number[][];
                    crs: string;
                };
            };
            data_queries: {
                [key: string]: {
                    link: {
                        href: string;
                        rel: string;
                        type?: string;
                        title?: string;
                        variables: {
                            title: string;
                            query_type: string;
                            output_formats: string[];
                            default_output_format: string;
                            crs_details: {
                                crs: string;
                                wkt: string;
                            }[];
                            within_units?: string[];
                        };
                    };
                };
            };
            crs: string[];
            output_formats: string[];
            /** @description The fields, each with its unit (UCUM) and observed property. */
            parameter_names: {
                [key: string]: {
                    [key: string]: unknown;
                };
            };
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
};
