"""The Python client of Fieldstone, for Python 3.11 or newer. It needs no other package.

Generated from the OpenAPI document by scripts/clients.ts: do not edit.
"""

from __future__ import annotations

import json
import time
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen


class FieldstoneError(Exception):
    """An answer that is no success. `detail` is the error object, or the list of violations of a request."""

    def __init__(self, status: int, detail: Any) -> None:
        self.status = status
        self.detail = detail
        self.code: str = detail["error"] if isinstance(detail, dict) else "invalid_request"
        violations = [] if isinstance(detail, dict) else detail
        super().__init__(
            detail["message"]
            if isinstance(detail, dict)
            else "; ".join(f"{'.'.join(map(str, it['loc']))}: {it['msg']}" for it in violations)
        )


class Fieldstone:
    """A client of one server.

    A request that is rejected because the server is busy, or because a limit is reached, is sent again up to `retries`
    times, after the time that the server names.
    """

    def __init__(
        self, url: str = "http://127.0.0.1:8080", token: str | None = None, *, retries: int = 3, timeout_s: float = 130
    ) -> None:
        self._url = url.rstrip("/")
        self._token = token
        self._retries = retries
        self._timeout_s = timeout_s

    def get_healthz(self) -> HealthzResponse:
        """Liveness."""
        return self._send("GET", "/healthz")

    def get_readyz(self) -> ReadyzResponse:
        """Readiness."""
        return self._send("GET", "/readyz")

    def get_meta_fields(self, *, q: str | None = None, layer: str | None = None) -> MetaFieldsResponse:
        """List all fields and presets."""
        return self._send("GET", "/v1/meta/fields", query={"q": q, "layer": layer})

    def get_meta_sources(self, *, state: str | None = None) -> MetaSourcesResponse:
        """List all datasets."""
        return self._send("GET", "/v1/meta/sources", query={"state": state})

    def get_meta_coverage(self) -> MetaCoverageResponse:
        """What local data answers in each county."""
        return self._send("GET", "/v1/meta/coverage")

    def get_meta_limits(self) -> MetaLimitsResponse:
        """List all limits."""
        return self._send("GET", "/v1/meta/limits")

    def get_fetch(self, *, lat: float | None = None, lng: float | None = None, fields: list[str] | None = None, preset: str | None = None, on_unknown: Literal["reject", "skip"] | None = None, include: list[str] | None = None) -> FetchResponse:
        """Fetch fields for one coordinate, from a URL."""
        return self._send("GET", "/v1/fetch", query={"lat": lat, "lng": lng, "fields": fields, "preset": preset, "on_unknown": on_unknown, "include": include})

    def post_fetch(self, body: FetchRequest) -> FetchResponse:
        """Fetch fields for one place."""
        return self._send("POST", "/v1/fetch", body=body)

    def post_fetch_batch(self, body: FetchBatchRequest) -> FetchBatchResponse:
        """Fetch the same fields for up to 25 places."""
        return self._send("POST", "/v1/fetch/batch", body=body)

    def post_areas(self, body: AreasRequest) -> AreasResponse:
        """Fetch fields for a polygon or a line."""
        return self._send("POST", "/v1/areas", body=body)

    def post_geocode(self, body: GeocodeRequest) -> GeocodeResponse:
        """Geocode one US street address."""
        return self._send("POST", "/v1/geocode", body=body)

    def post_lookup(self, body: LookupRequest) -> LookupResponse:
        """Look up the jurisdictions, hazards and market data of one place."""
        return self._send("POST", "/v1/lookup", body=body)

    def post_ask(self, body: AskRequest) -> AskResponse:
        """Ask a question about one place."""
        return self._send("POST", "/v1/ask", body=body)

    def post_runs(self, body: RunsRequest | str, *, fresh: bool | None = None, kind: Literal["fetch_batch", "area_batch", "geocode_batch", "lookup_batch"] | None = None, name: str | None = None, fields: list[str] | None = None, preset: str | None = None, on_unknown: Literal["reject", "skip"] | None = None, include_parcel: bool | None = None, lat: str | None = None, lng: str | None = None, location: str | None = None, address: str | None = None, crs: str | None = None, west: bool | None = None, delimiter: str | None = None, header_row: int | None = None, encoding: str | None = None, sheet: str | None = None, idempotency_key: str | None = None, prefer: str | None = None) -> RunsResponse | FunctionsSnowflakeAccepted:
        """Submit a run of up to 10000 locations."""
        return self._send("POST", "/v1/runs", body=body, query={"fresh": fresh, "kind": kind, "name": name, "fields": fields, "preset": preset, "on_unknown": on_unknown, "include_parcel": include_parcel, "lat": lat, "lng": lng, "location": location, "address": address, "crs": crs, "west": west, "delimiter": delimiter, "header_row": header_row, "encoding": encoding, "sheet": sheet}, headers={"Idempotency-Key": idempotency_key, "Prefer": prefer})

    def get_runs(self, *, limit: int | None = None, cursor: str | None = None, idempotency_key: str | None = None) -> GetRunsResponse:
        """List runs."""
        return self._send("GET", "/v1/runs", query={"limit": limit, "cursor": cursor, "idempotency_key": idempotency_key})

    def get_runs_run_id(self, run_id: str, *, view: Literal["summary"] | None = None) -> RunsItemResponse:
        """Get a run."""
        return self._send("GET", f"/v1/runs/{quote(str(run_id), safe='')}", query={"view": view})

    def get_runs_run_id_results(self, run_id: str, *, limit: int | None = None, cursor: str | None = None, status: Literal["ok", "failed"] | None = None) -> RunsResultsResponse:
        """List the entries of a run."""
        return self._send("GET", f"/v1/runs/{quote(str(run_id), safe='')}/results", query={"limit": limit, "cursor": cursor, "status": status})

    def get_runs_run_id_results_index(self, run_id: str, index: int) -> RunsResultsItemResponse:
        """Get one entry of a run."""
        return self._send("GET", f"/v1/runs/{quote(str(run_id), safe='')}/results/{quote(str(index), safe='')}")

    def get_runs_run_id_artifacts_csv(self, run_id: str, *, include: list[str] | None = None, columns: str | None = None) -> bytes:
        """Download the result as CSV."""
        return self._send("GET", f"/v1/runs/{quote(str(run_id), safe='')}/artifacts/csv", query={"include": include, "columns": columns}, is_file=True)

    def get_runs_run_id_artifacts_geojson(self, run_id: str, *, include: list[str] | None = None, columns: str | None = None) -> bytes:
        """Download the result as GeoJSON."""
        return self._send("GET", f"/v1/runs/{quote(str(run_id), safe='')}/artifacts/geojson", query={"include": include, "columns": columns}, is_file=True)

    def get_runs_run_id_artifacts_parquet(self, run_id: str, *, include: list[str] | None = None, columns: str | None = None) -> bytes:
        """Download the result as GeoParquet."""
        return self._send("GET", f"/v1/runs/{quote(str(run_id), safe='')}/artifacts/parquet", query={"include": include, "columns": columns}, is_file=True)

    def get_runs_run_id_artifacts_ndjson(self, run_id: str, *, include: list[str] | None = None, columns: str | None = None) -> bytes:
        """Download the result as JSON lines."""
        return self._send("GET", f"/v1/runs/{quote(str(run_id), safe='')}/artifacts/ndjson", query={"include": include, "columns": columns}, is_file=True)

    def get_runs_run_id_artifacts_xlsx(self, run_id: str, *, include: list[str] | None = None, columns: str | None = None) -> bytes:
        """Download the result as a workbook."""
        return self._send("GET", f"/v1/runs/{quote(str(run_id), safe='')}/artifacts/xlsx", query={"include": include, "columns": columns}, is_file=True)

    def get_runs_run_id_artifacts_gpkg(self, run_id: str, *, include: list[str] | None = None, columns: str | None = None) -> bytes:
        """Download the result as a GeoPackage."""
        return self._send("GET", f"/v1/runs/{quote(str(run_id), safe='')}/artifacts/gpkg", query={"include": include, "columns": columns}, is_file=True)

    def get_runs_run_id_artifacts_report(self, run_id: str, *, include: list[str] | None = None) -> RunsArtifactsReportResponse | str:
        """Count what a run found."""
        return self._send("GET", f"/v1/runs/{quote(str(run_id), safe='')}/artifacts/report", query={"include": include})

    def post_runs_run_id_cancel(self, run_id: str) -> RunsCancelResponse:
        """Cancel a run."""
        return self._send("POST", f"/v1/runs/{quote(str(run_id), safe='')}/cancel")

    def post_runs_run_id_retry(self, run_id: str, body: RunsRetryRequest, *, include: list[str] | None = None) -> FunctionsSnowflakeAccepted:
        """Retry failed locations."""
        return self._send("POST", f"/v1/runs/{quote(str(run_id), safe='')}/retry", body=body, query={"include": include})

    def get_users_me(self) -> UsersMeResponse:
        """Your account."""
        return self._send("GET", "/v1/users/me")

    def get_users_me_tokens(self, *, limit: int | None = None, cursor: str | None = None) -> UsersMeTokensResponse:
        """List API tokens."""
        return self._send("GET", "/v1/users/me/tokens", query={"limit": limit, "cursor": cursor})

    def post_users_me_tokens(self, body: UsersMeTokensRequest) -> PostUsersMeTokensResponse:
        """Create an API token."""
        return self._send("POST", "/v1/users/me/tokens", body=body)

    def delete_users_me_tokens_token_id(self, token_id: str) -> None:
        """Revoke an API token."""
        return self._send("DELETE", f"/v1/users/me/tokens/{quote(str(token_id), safe='')}")

    def get_users_me_usage(self, *, from_: str | None = None, to: str | None = None) -> UsersMeUsageResponse:
        """Your usage."""
        return self._send("GET", "/v1/users/me/usage", query={"from": from_, "to": to})

    def get_users_me_logins(self) -> UsersMeLoginsResponse:
        """List OAuth logins."""
        return self._send("GET", "/v1/users/me/logins")

    def delete_users_me_logins_login_id(self, login_id: str) -> None:
        """End an OAuth login."""
        return self._send("DELETE", f"/v1/users/me/logins/{quote(str(login_id), safe='')}")

    def get_users_me_sessions(self) -> UsersMeSessionsResponse:
        """List browser sessions."""
        return self._send("GET", "/v1/users/me/sessions")

    def delete_users_me_sessions(self) -> None:
        """Sign out other sessions."""
        return self._send("DELETE", "/v1/users/me/sessions")

    def get_users_me_shares(self) -> UsersMeSharesResponse:
        """List read-only links."""
        return self._send("GET", "/v1/users/me/shares")

    def post_users_me_shares(self, body: UsersMeSharesRequest) -> PostUsersMeSharesResponse:
        """Create a read-only link."""
        return self._send("POST", "/v1/users/me/shares", body=body)

    def delete_users_me_shares_share_id(self, share_id: str) -> None:
        """Revoke a read-only link."""
        return self._send("DELETE", f"/v1/users/me/shares/{quote(str(share_id), safe='')}")

    def get_users_me_pins(self) -> UsersMePinsResponse:
        """List pins."""
        return self._send("GET", "/v1/users/me/pins")

    def post_users_me_pins(self, body: UsersMePinsRequest) -> PostUsersMePinsResponse:
        """Pin a place or fields."""
        return self._send("POST", "/v1/users/me/pins", body=body)

    def delete_users_me_pins_pin_id(self, pin_id: str) -> None:
        """Remove a pin."""
        return self._send("DELETE", f"/v1/users/me/pins/{quote(str(pin_id), safe='')}")

    def get_users(self) -> UsersResponse:
        """List users."""
        return self._send("GET", "/v1/users")

    def post_users(self, body: UsersRequest) -> PostUsersResponse:
        """Invite a user."""
        return self._send("POST", "/v1/users", body=body)

    def post_users_user_id_link(self, user_id: str) -> PostUsersResponse:
        """Create a password link."""
        return self._send("POST", f"/v1/users/{quote(str(user_id), safe='')}/link")

    def delete_users_user_id(self, user_id: str) -> None:
        """Remove a user."""
        return self._send("DELETE", f"/v1/users/{quote(str(user_id), safe='')}")

    def post_proximity(self, body: ProximityRequest) -> ProximityResponse:
        """Measure how far places are."""
        return self._send("POST", "/v1/proximity", body=body)

    def post_packs_plan(self, body: PacksPlanRequest) -> PacksPlanResponse:
        """Plan the packs of an area."""
        return self._send("POST", "/v1/packs/plan", body=body)

    def post_packs_fetch(self, body: PacksPlanRequest) -> PacksFetchAccepted:
        """Fetch the packs of an area."""
        return self._send("POST", "/v1/packs/fetch", body=body)

    def get_packs_fetch(self) -> PacksFetchResponse:
        """The last fetch of packs."""
        return self._send("GET", "/v1/packs/fetch")

    def post_packs_fetch_cancel(self) -> PacksFetchAccepted:
        """Cancel the fetch of packs."""
        return self._send("POST", "/v1/packs/fetch/cancel")

    def _send(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        query: dict[str, Any] | None = None,
        headers: dict[str, Any] | None = None,
        is_file: bool = False,
    ) -> Any:
        sent = {name: str(value) for name, value in (headers or {}).items() if value is not None}
        if self._token is not None:
            sent["Authorization"] = f"Bearer {self._token}"
        if body is not None:
            sent["Content-Type"] = "text/csv" if isinstance(body, str) else "application/json"
        data = body.encode() if isinstance(body, str) else None if body is None else json.dumps(body).encode()
        pairs = {name: _text_of(value) for name, value in (query or {}).items() if value is not None}
        url = f"{self._url}{path}{'?' + urlencode(pairs) if pairs else ''}"
        for retry in range(self._retries + 1):
            try:
                with urlopen(Request(url, data, sent, method=method), timeout=self._timeout_s) as response:
                    content = response.read()
                return content if is_file else json.loads(content) if content else None
            except HTTPError as error:
                content = error.read()
                if path == "/readyz":
                    return json.loads(content)
                if error.code not in (429, 503) or retry == self._retries:
                    raise FieldstoneError(error.code, _detail_of(content, error)) from None
                time.sleep(float(error.headers.get("Retry-After") or 1))


def _text_of(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _detail_of(content: bytes, error: HTTPError) -> Any:
    try:
        return json.loads(content)["detail"]
    except (ValueError, KeyError):
        return {"error": "internal_error", "message": f"The server answered {error.code}.", "retryable": False}


ErrorCode: TypeAlias = "Literal[\"coord_out_of_bounds\", \"invalid_locator\", \"no_fields_requested\", \"fields_unknown\", \"preset_unknown\", \"fields_too_many\", \"address_too_coarse\", \"address_outside_us\", \"address_form_unsupported\", \"address_ambiguous\", \"address_not_found\", \"resolve_coord_bounds\", \"resolve_invalid_input\", \"geocode_unavailable\", \"geocode_timeout\", \"resolve_timeout\", \"geocoder_not_configured\", \"parcel_not_found\", \"parcel_unavailable\", \"parcels_not_configured\", \"fetch_busy\", \"auth_missing\", \"auth_malformed\", \"auth_invalid\", \"auth_expired\", \"auth_revoked\", \"insufficient_scope\", \"auth_method_not_allowed\", \"origin_not_allowed\", \"token_not_found\", \"user_not_found\", \"user_exists\", \"share_not_found\", \"share_limit_reached\", \"pin_not_found\", \"pin_limit_reached\", \"rate_limited\", \"quota_exceeded\", \"host_not_allowed\", \"bad_request\", \"body_too_large\", \"request_timeout\", \"unsupported_media_type\", \"method_not_allowed\", \"not_found\", \"run_kind_unknown\", \"run_not_found\", \"run_not_ready\", \"run_failed\", \"run_not_cancellable\", \"run_not_retryable\", \"idempotency_key_reused\", \"range_not_satisfiable\", \"unknown_set\", \"proximity_data_unavailable\", \"mode_unsupported\", \"run_cancelled\", \"row_invalid\", \"basemap_unavailable\", \"pack_fetch_active\", \"pack_fetch_not_active\", \"pack_fetch_unavailable\", \"pack_fetch_failed\", \"ask_timeout\", \"ask_unavailable\", \"storage_full\", \"storage_read_only\", \"storage_unavailable\", \"shutting_down\", \"worker_lost\", \"stored_data_damaged\", \"internal_error\"]"

class ErrorDetail(TypedDict):
    error: ErrorCode
    message: str
    retryable: bool
    documentation_url: str

class FieldGeometryFeaturesItemProperties(TypedDict):
    role: Literal["area", "feature", "line", "radius", "cell", "part"]
    dataset: str
    value: NotRequired[str | float | bool | None]
    range: NotRequired[list[float]]
    distance_m: NotRequired[float]
    simplified_m: NotRequired[float]

class FieldGeometryFeaturesItem(TypedDict):
    type: Literal["Feature"]
    properties: FieldGeometryFeaturesItemProperties
    geometry: dict[str, Any]

class FieldGeometry(TypedDict):
    type: Literal["FeatureCollection"]
    features: list[FieldGeometryFeaturesItem]

class FieldResult1(TypedDict):
    value: str | float | bool
    status: Literal["ok"]
    moe_90: NotRequired[float | None]
    reliability: NotRequired[Literal["high", "medium", "low"]]
    source: str
    unit: str | None
    source_url: str
    confidence: Literal["high", "medium", "low", "unknown"]
    fetched_at: str | None
    ttl_seconds: int
    dataset_vintage: str | None
    vintage_note: NotRequired[str]
    driver: str | None
    cache: NotRequired[Literal["hit", "miss", "stale"]]
    uncertainty_m: NotRequired[int]
    notes: str | None
    geometry: NotRequired[FieldGeometry]
    geometry_error: NotRequired[str]

class FieldResult2(TypedDict):
    value: str | None
    status: Literal["absent"]
    absent_reason: Literal["outside_coverage", "not_mapped", "no_data", "none_within_radius"]
    source: str
    unit: str | None
    source_url: str
    confidence: Literal["high", "medium", "low", "unknown"]
    fetched_at: str | None
    ttl_seconds: int
    dataset_vintage: str | None
    vintage_note: NotRequired[str]
    driver: str | None
    cache: NotRequired[Literal["hit", "miss", "stale"]]
    uncertainty_m: NotRequired[int]
    notes: str | None
    geometry: NotRequired[FieldGeometry]
    geometry_error: NotRequired[str]

class FieldResult3(TypedDict):
    value: str | None
    status: Literal["failed"]
    error: str
    retryable: bool
    source: str
    unit: str | None
    source_url: str
    confidence: Literal["high", "medium", "low", "unknown"]
    fetched_at: str | None
    ttl_seconds: int
    dataset_vintage: str | None
    vintage_note: NotRequired[str]
    driver: str | None
    cache: NotRequired[Literal["hit", "miss", "stale"]]
    uncertainty_m: NotRequired[int]
    notes: str | None
    geometry: NotRequired[FieldGeometry]
    geometry_error: NotRequired[str]

FieldResult: TypeAlias = "FieldResult1 | FieldResult2 | FieldResult3"

class AreaFieldResult1Value1ClassesItem(TypedDict):
    value: str | float | bool
    area_m2: NotRequired[float]
    length_m: NotRequired[float]
    share: float
    cells: NotRequired[float]

class AreaFieldResult1Value1CrossingsItem(TypedDict):
    from_m: float
    to_m: float
    value: str | float | bool

class AreaFieldResult1Value1(TypedDict):
    classes: list[AreaFieldResult1Value1ClassesItem]
    crossings: NotRequired[list[AreaFieldResult1Value1CrossingsItem]]

class AreaFieldResult1Value2CrossingsItem(TypedDict):
    from_m: float
    to_m: float
    value: str | float | bool

class AreaFieldResult1Value2(TypedDict):
    share_true: float
    area_m2: NotRequired[float]
    length_m: NotRequired[float]
    any: bool
    all: bool
    crossings: NotRequired[list[AreaFieldResult1Value2CrossingsItem]]
    cells: NotRequired[float]

class AreaFieldResult1Value3(TypedDict):
    mean: float
    min: float
    max: float
    sd: float
    p10: float
    p50: float
    p90: float
    cells: NotRequired[float]
    profile: NotRequired[list[list[float | None]]]

class AreaFieldResult1Value4(TypedDict):
    distance_m: float
    value: NotRequired[str | float | bool]
    feature: NotRequired[dict[str, str | float | bool]]

class AreaFieldResult1Value5(TypedDict):
    count: int
    length_m: NotRequired[float]
    area_m2: NotRequired[float]

class AreaFieldResult1Value6UnitsItem(TypedDict):
    key: str
    value: str | float | bool | None
    area_m2: NotRequired[float]
    length_m: NotRequired[float]
    share: float
    share_of_unit: NotRequired[float]

class AreaFieldResult1Value6(TypedDict):
    units: list[AreaFieldResult1Value6UnitsItem]
    apportioned_sum: NotRequired[float]

class AreaFieldResult1Value7At(TypedDict):
    lat: float
    lng: float

class AreaFieldResult1Value7(TypedDict):
    value: str | float | bool
    at: AreaFieldResult1Value7At

class AreaFieldResult1AbsentPartsItem(TypedDict):
    reason: Literal["outside_coverage", "not_mapped", "no_data", "none_within_radius", "not_for_areas"]
    area_m2: NotRequired[float]
    length_m: NotRequired[float]
    share: float

class AreaFieldResult1(TypedDict):
    value: AreaFieldResult1Value1 | AreaFieldResult1Value2 | AreaFieldResult1Value3 | AreaFieldResult1Value4 | AreaFieldResult1Value5 | AreaFieldResult1Value6 | AreaFieldResult1Value7
    status: Literal["ok"]
    area_kind: Literal["polygon_classes", "polygon_share", "raster_statistics", "raster_classes", "raster_share", "nearest", "count", "units", "representative_point", "not_for_areas"]
    covered_share: float
    absent_parts: NotRequired[list[AreaFieldResult1AbsentPartsItem]]
    source: str
    unit: str | None
    source_url: str
    confidence: Literal["high", "medium", "low", "unknown"]
    fetched_at: str | None
    ttl_seconds: int
    dataset_vintage: str | None
    vintage_note: NotRequired[str]
    driver: str | None
    cache: NotRequired[Literal["hit", "miss", "stale"]]
    uncertainty_m: NotRequired[int]
    notes: str | None
    geometry: NotRequired[FieldGeometry]
    geometry_error: NotRequired[str]

class AreaFieldResult2AbsentPartsItem(TypedDict):
    reason: Literal["outside_coverage", "not_mapped", "no_data", "none_within_radius", "not_for_areas"]
    area_m2: NotRequired[float]
    length_m: NotRequired[float]
    share: float

class AreaFieldResult2(TypedDict):
    value: str | None
    status: Literal["absent"]
    absent_reason: Literal["outside_coverage", "not_mapped", "no_data", "none_within_radius", "not_for_areas"]
    area_kind: Literal["polygon_classes", "polygon_share", "raster_statistics", "raster_classes", "raster_share", "nearest", "count", "units", "representative_point", "not_for_areas"]
    covered_share: float
    absent_parts: NotRequired[list[AreaFieldResult2AbsentPartsItem]]
    source: str
    unit: str | None
    source_url: str
    confidence: Literal["high", "medium", "low", "unknown"]
    fetched_at: str | None
    ttl_seconds: int
    dataset_vintage: str | None
    vintage_note: NotRequired[str]
    driver: str | None
    cache: NotRequired[Literal["hit", "miss", "stale"]]
    uncertainty_m: NotRequired[int]
    notes: str | None
    geometry: NotRequired[FieldGeometry]
    geometry_error: NotRequired[str]

class AreaFieldResult3AbsentPartsItem(TypedDict):
    reason: Literal["outside_coverage", "not_mapped", "no_data", "none_within_radius", "not_for_areas"]
    area_m2: NotRequired[float]
    length_m: NotRequired[float]
    share: float

class AreaFieldResult3(TypedDict):
    value: str | None
    status: Literal["failed"]
    error: str
    retryable: bool
    area_kind: Literal["polygon_classes", "polygon_share", "raster_statistics", "raster_classes", "raster_share", "nearest", "count", "units", "representative_point", "not_for_areas"]
    covered_share: float
    absent_parts: NotRequired[list[AreaFieldResult3AbsentPartsItem]]
    source: str
    unit: str | None
    source_url: str
    confidence: Literal["high", "medium", "low", "unknown"]
    fetched_at: str | None
    ttl_seconds: int
    dataset_vintage: str | None
    vintage_note: NotRequired[str]
    driver: str | None
    cache: NotRequired[Literal["hit", "miss", "stale"]]
    uncertainty_m: NotRequired[int]
    notes: str | None
    geometry: NotRequired[FieldGeometry]
    geometry_error: NotRequired[str]

AreaFieldResult: TypeAlias = "AreaFieldResult1 | AreaFieldResult2 | AreaFieldResult3"

class GeocodeSummaryComponents(TypedDict):
    number: NotRequired[str]
    predirectional: NotRequired[str]
    pretype: NotRequired[str]
    street: NotRequired[str]
    suffix: NotRequired[str]
    postdirectional: NotRequired[str]
    unit: NotRequired[str]
    city: NotRequired[str]
    county: NotRequired[str]
    state: NotRequired[str]
    zip: NotRequired[str]

class GeocodeSummary(TypedDict):
    accuracy_type: Literal["rooftop", "nearest_rooftop_match", "point", "range_interpolation", "intersection", "street_center"]
    accuracy: float
    match_type: Literal["exact", "approximate"]
    normalized_address: str
    components: GeocodeSummaryComponents
    provider: str
    source: str
    cached: bool
    warnings: list[str]
    parcel_grade: bool
    precision_note: str | None

class HealthzResponse(TypedDict):
    status: Literal["ok"]
    version: str
    uptime_s: float

class Error(TypedDict):
    detail: ErrorDetail

class InvalidRequestDetailItem(TypedDict):
    type: str
    loc: list[str | int]
    msg: str
    input: Any

class InvalidRequest(TypedDict):
    detail: list[InvalidRequestDetailItem]

class ReadyzResponseChecksStore(TypedDict):
    status: Literal["pass", "warn", "fail"]
    message: NotRequired[str]

class ReadyzResponseChecksBackup(TypedDict):
    status: Literal["pass", "warn", "fail"]
    message: NotRequired[str]

class ReadyzResponseChecksCatalogRejectedItem(TypedDict):
    file: str
    errors: list[str]

class ReadyzResponseChecksCatalog(TypedDict):
    status: Literal["pass", "warn", "fail"]
    rejected: NotRequired[list[ReadyzResponseChecksCatalogRejectedItem]]

class ReadyzResponseChecksRunsFailingRunsItem(TypedDict):
    run_id: str
    status: str
    worker_losses: int
    reason: str | None

class ReadyzResponseChecksRuns(TypedDict):
    status: Literal["pass", "warn", "fail"]
    message: NotRequired[str]
    failing_runs: NotRequired[list[ReadyzResponseChecksRunsFailingRunsItem]]

class ReadyzResponseChecksProgressStuckItem(TypedDict):
    kind: Literal["runs", "worker", "job"]
    name: str
    reason: str

class ReadyzResponseChecksProgress(TypedDict):
    status: Literal["pass", "warn", "fail"]
    message: NotRequired[str]
    stuck: NotRequired[list[ReadyzResponseChecksProgressStuckItem]]

class ReadyzResponseChecksPacksRejectedItem(TypedDict):
    file: str
    reason: str

class ReadyzResponseChecksPacksAreasItem(TypedDict):
    area: str
    presets: list[str]

class ReadyzResponseChecksPacks(TypedDict):
    status: Literal["pass", "warn", "fail"]
    message: NotRequired[str]
    rejected: NotRequired[list[ReadyzResponseChecksPacksRejectedItem]]
    areas: NotRequired[list[ReadyzResponseChecksPacksAreasItem]]

class ReadyzResponseChecksSourcesValue(TypedDict):
    state: Literal["cold", "warming", "ready", "degraded", "off"]
    missing: NotRequired[list[str]]

class ReadyzResponseChecks(TypedDict):
    store: ReadyzResponseChecksStore
    backup: NotRequired[ReadyzResponseChecksBackup]
    catalog: ReadyzResponseChecksCatalog
    runs: ReadyzResponseChecksRuns
    progress: ReadyzResponseChecksProgress
    packs: ReadyzResponseChecksPacks
    sources: dict[str, ReadyzResponseChecksSourcesValue]

class ReadyzResponse(TypedDict):
    status: Literal["pass", "warn", "fail"]
    version: str
    catalog_version: str
    process: NotRequired[int]
    checks: ReadyzResponseChecks

class MetaFieldsResponseFieldsItemEvidence(TypedDict):
    kind: Literal["checked_live", "recorded", "reported", "names_only", "documented", "unconfirmed"]
    source: str
    date: str | None

class MetaFieldsResponseFieldsItemCoverage(TypedDict):
    regions: list[str]
    note: str | None

class MetaFieldsResponseFieldsItem(TypedDict):
    name: str
    label: NotRequired[str]
    description: str
    interpretation_hints: str
    layer: str
    lifecycle: Literal["experimental", "beta", "stable", "deprecated"]
    replaced_by: NotRequired[str]
    type: Literal["float", "integer", "string", "boolean", "list"]
    area_kind: Literal["polygon_classes", "polygon_share", "raster_statistics", "raster_classes", "raster_share", "nearest", "count", "units", "representative_point", "not_for_areas"]
    unit: str | None
    decimals: NotRequired[int]
    margin_of_error: NotRequired[Literal[True]]
    nullable: bool
    null_meaning: str | None
    derivation: str | None
    presets: list[str]
    source: str
    source_url: str
    ttl_seconds: int
    valid_range: None | list[float | None]
    enum: None | list[str | float]
    class_labels: NotRequired[dict[str, str]]
    vintage: str | None
    vintage_note: NotRequired[str]
    evidence: MetaFieldsResponseFieldsItemEvidence
    coverage: MetaFieldsResponseFieldsItemCoverage
    providers: list[str]

class MetaFieldsResponsePresetDetailsValue(TypedDict):
    reason: str
    fields: int
    answered_now: int
    answered_online_without_keys: int
    answered_offline: int

class MetaFieldsResponseUsEnvelope(TypedDict):
    lat_min: float
    lat_max: float
    lng_min: float
    lng_max: float

class MetaFieldsResponse(TypedDict):
    version: str
    generated_at: str
    count: int
    fields: list[MetaFieldsResponseFieldsItem]
    presets: dict[str, list[str]]
    preset_details: dict[str, MetaFieldsResponsePresetDetailsValue]
    answered_now: int
    answered_offline: int
    us_envelope: MetaFieldsResponseUsEnvelope

class MetaSourcesResponseSourcesItemConfidence(TypedDict):
    level: Literal["high", "medium", "low"]
    reason: str

class MetaSourcesResponseSourcesItemDriversItem(TypedDict):
    driver: str
    available: bool
    vintage: str | None
    metered: bool

class MetaSourcesResponseSourcesItemMissing2(TypedDict):
    setting: str | None
    hosts: list[str]
    packs: list[str]
    command: str | None

class MetaSourcesResponseSourcesItemFailing2(TypedDict):
    error: str
    since: str
    next_try: str | None

class MetaSourcesResponseSourcesItem(TypedDict):
    dataset: str
    source: str
    title: str
    publisher: str
    license: str
    attribution: str | None
    source_url: str
    vintage: str | None
    vintage_note: str | None
    confidence: MetaSourcesResponseSourcesItemConfidence
    shape: str
    fields: list[str]
    drivers: list[MetaSourcesResponseSourcesItemDriversItem]
    unavailable_reason: str | None
    missing: None | MetaSourcesResponseSourcesItemMissing2
    fetchable: bool
    schema_changed: list[str]
    last_success: str | None
    latency_ms: float | None
    circuit: str | None
    failing: None | MetaSourcesResponseSourcesItemFailing2

class MetaSourcesResponseGeocodersItem(TypedDict):
    name: str
    metered: bool

class MetaSourcesResponseEmbeddedItemPackagesItem(TypedDict):
    name: str
    version: str
    file: str
    sha256: str

class MetaSourcesResponseEmbeddedItem(TypedDict):
    layer: str
    title: str
    publisher: str
    license: str
    attribution: str | None
    source_url: str
    vintage: str
    features: int
    derivation: str
    packages: list[MetaSourcesResponseEmbeddedItemPackagesItem]

class MetaSourcesResponsePacksItem(TypedDict):
    file: str
    state: Literal["checking", "live", "rejected"]
    reason: str | None
    notes: list[str]
    datasets: list[str]
    bytes: int
    area: str | None
    fetched_at: str | None
    vintage: str | None
    license: str | None
    attribution: str | None

class MetaSourcesResponseAreasItem(TypedDict):
    area: str
    presets: list[str]

class MetaSourcesResponse(TypedDict):
    sources: list[MetaSourcesResponseSourcesItem]
    failing_fields: list[str]
    geocoders: list[MetaSourcesResponseGeocodersItem]
    embedded: list[MetaSourcesResponseEmbeddedItem]
    packs: list[MetaSourcesResponsePacksItem]
    areas: list[MetaSourcesResponseAreasItem]

class MetaCoverageResponseGroupsItem(TypedDict):
    fields: int
    presets: list[str]
    counties: list[str]

class MetaCoverageResponse(TypedDict):
    fields: int
    groups: list[MetaCoverageResponseGroupsItem]

class MetaLimitsResponseLimitsValue(TypedDict):
    value: float
    unit: str
    applies_to: str

class MetaLimitsResponse(TypedDict):
    limits: dict[str, MetaLimitsResponseLimitsValue]

class FetchResponsePartialFailuresItem(TypedDict):
    field: str
    source: str
    error: str
    retryable: bool

class FetchResponseResolvedLocation(TypedDict):
    lat: float
    lng: float
    source: Literal["coordinate", "address"]

class FetchResponse(TypedDict):
    lat: float
    lng: float
    fetched_at: str
    fields: dict[str, FieldResult]
    partial_failures: list[FetchResponsePartialFailuresItem]
    resolved_location: FetchResponseResolvedLocation
    geocode: NotRequired[GeocodeSummary]

InvalidRequestOrError: TypeAlias = "InvalidRequest | Error"

class FetchRequest(TypedDict):
    lat: NotRequired[float]
    lng: NotRequired[float]
    address: NotRequired[str]
    fields: NotRequired[list[str]]
    preset: NotRequired[str]
    on_unknown: NotRequired[Literal["reject", "skip"]]
    include: NotRequired[list[Literal["geometry"]]]

class FetchBatchRequestLocationsItem(TypedDict):
    lat: NotRequired[float]
    lng: NotRequired[float]
    address: NotRequired[str]

class FetchBatchRequest(TypedDict):
    locations: list[FetchBatchRequestLocationsItem]
    fields: NotRequired[list[str]]
    preset: NotRequired[str]
    on_unknown: NotRequired[Literal["reject", "skip"]]

class FetchBatchResponseResultsItem1PartialFailuresItem(TypedDict):
    field: str
    source: str
    error: str
    retryable: bool

class FetchBatchResponseResultsItem1ResolvedLocation(TypedDict):
    lat: float
    lng: float
    source: Literal["coordinate", "address"]

class FetchBatchResponseResultsItem1(TypedDict):
    index: int
    ok: Literal[True]
    lat: float
    lng: float
    fetched_at: str
    fields: dict[str, FieldResult]
    partial_failures: list[FetchBatchResponseResultsItem1PartialFailuresItem]
    resolved_location: FetchBatchResponseResultsItem1ResolvedLocation
    geocode: NotRequired[GeocodeSummary]

class FetchBatchResponseResultsItem2(TypedDict):
    index: int
    ok: Literal[False]
    fetched_at: str
    error: ErrorDetail

class FetchBatchResponse(TypedDict):
    fetched_at: str
    results: list[FetchBatchResponseResultsItem1 | FetchBatchResponseResultsItem2]

class AreasRequestGeometry(TypedDict):
    type: Literal["Polygon", "MultiPolygon", "LineString", "MultiLineString"]
    coordinates: list[list[float | Any]]

class AreasRequestAround(TypedDict):
    lat: float
    lng: float
    radius_m: float

class AreasRequestCorridorLine(TypedDict):
    type: Literal["LineString", "MultiLineString"]
    coordinates: list[list[float | Any]]

class AreasRequestCorridor(TypedDict):
    line: AreasRequestCorridorLine
    width_m: float

class AreasRequestParcelOf(TypedDict):
    lat: NotRequired[float]
    lng: NotRequired[float]
    address: NotRequired[str]

class AreasRequest(TypedDict):
    geometry: NotRequired[AreasRequestGeometry]
    around: NotRequired[AreasRequestAround]
    corridor: NotRequired[AreasRequestCorridor]
    county_fips: NotRequired[str]
    parcel_of: NotRequired[AreasRequestParcelOf]
    fields: NotRequired[list[str]]
    preset: NotRequired[str]
    on_unknown: NotRequired[Literal["reject", "skip"]]
    include: NotRequired[list[Literal["geometry", "outline"]]]

class AreasResponseRepresentativePoint(TypedDict):
    lat: float
    lng: float

class AreasResponsePartialFailuresItem(TypedDict):
    field: str
    source: str
    error: str
    retryable: bool

class AreasResponse(TypedDict):
    area_m2: NotRequired[float]
    length_m: NotRequired[float]
    representative_point: AreasResponseRepresentativePoint
    outline: NotRequired[dict[str, Any]]
    fetched_at: str
    fields: dict[str, AreaFieldResult]
    partial_failures: list[AreasResponsePartialFailuresItem]

class FunctionsSnowflakeRequest(TypedDict):
    data: list[list[Any]]

class FunctionsSnowflakeResponse(TypedDict):
    data: list[list[Any]]

class FunctionsSnowflakeAcceptedLinks(TypedDict):
    self: str
    events: str
    results: str
    csv: str
    geojson: str
    parquet: str
    ndjson: str
    xlsx: str
    gpkg: str
    cancel: str
    retry: str

class FunctionsSnowflakeAccepted(TypedDict):
    run_id: str
    status: Literal["queued", "running", "done", "cancelled", "failed"]
    retry_of: NotRequired[str]
    poll: str
    events: str
    links: FunctionsSnowflakeAcceptedLinks

class FunctionsBigqueryRequest(TypedDict):
    requestId: NotRequired[str]
    calls: list[list[Any]]

class FunctionsBigqueryResponse(TypedDict):
    replies: list[str | None]

class FunctionsRedshiftRequest(TypedDict):
    num_records: NotRequired[int]
    arguments: list[list[Any]]

class FunctionsRedshiftResponse(TypedDict):
    success: Literal[True]
    num_records: int
    results: list[str | None]

class GeocodeRequest(TypedDict):
    address: str

class GeocodeResponseComponents(TypedDict):
    number: NotRequired[str]
    predirectional: NotRequired[str]
    pretype: NotRequired[str]
    street: NotRequired[str]
    suffix: NotRequired[str]
    postdirectional: NotRequired[str]
    unit: NotRequired[str]
    city: NotRequired[str]
    county: NotRequired[str]
    state: NotRequired[str]
    zip: NotRequired[str]

class GeocodeResponse(TypedDict):
    lat: float
    lng: float
    fetched_at: str
    accuracy_type: Literal["rooftop", "nearest_rooftop_match", "point", "range_interpolation", "intersection", "street_center"]
    accuracy: float
    match_type: Literal["exact", "approximate"]
    normalized_address: str
    components: GeocodeResponseComponents
    provider: str
    source: str
    cached: bool
    warnings: list[str]

class LookupRequest(TypedDict):
    input: str
    include_parcel: NotRequired[bool]

class LookupResponse1ResolvedLocation(TypedDict):
    lat: float
    lng: float
    source: Literal["coordinate", "address"]

class LookupResponse1Parcel2(TypedDict):
    parcel_id: str | None
    apn: str | None
    address: str | None
    county_fips: str | None
    area_m2: float | None
    geometry: str | None
    geometry_wkt: str | None
    owner: str | None
    zoning: str | None
    land_use: str | None
    year_built: float | None
    assessed_value_usd: float | None
    last_sale_date: str | None
    last_sale_price_usd: float | None
    match_type: Literal["contains"]
    match_distance_m: float
    match_radius_m: float
    source: str
    interior_point_lat: float | None
    interior_point_lng: float | None

class LookupResponse1CountyMarket(TypedDict):
    as_of: str | None
    population: str | float | bool | None
    population_growth_1yr_pct: str | float | bool | None
    net_domestic_migration: str | float | bool | None
    building_permits_total_annual: str | float | bool | None
    building_permits_sf_annual: str | float | bool | None
    building_permits_yoy_pct: str | float | bool | None
    hpi_yoy_pct: str | float | bool | None
    employment_total: str | float | bool | None
    employment_yoy_pct: str | float | bool | None
    median_household_income_usd: str | float | bool | None

class LookupResponse1ContextFailuresItem(TypedDict):
    member: str
    field: str
    source: str
    dataset_vintage: str | None
    reason: str
    error: str
    retryable: bool

class LookupResponse1(TypedDict):
    disposition: Literal["resolved"]
    lat: float
    lng: float
    resolved_address: str | None
    match_method: str
    confidence: float
    fetched_at: str
    resolved_location: LookupResponse1ResolvedLocation
    warnings: list[str]
    parcel_unavailable: bool
    parcel_unavailable_reason: Literal["not_requested", "provider_not_configured", "regrid_quota_exhausted", "parcel_lookup_transient_error", "parcel_lookup_malformed_response", "parcel_match_too_far", "no_parcel_at_point", "coarse_geocode"] | None
    parcel: None | LookupResponse1Parcel2
    state_fips: str | float | bool | None
    state: str | float | bool | None
    state_code: str | float | bool | None
    county_fips: str | float | bool | None
    county: str | float | bool | None
    tract_geoid: str | float | bool | None
    block_group_geoid: str | float | bool | None
    block_geoid: str | float | bool | None
    congressional_district: str | float | bool | None
    cbsa_name: str | float | bool | None
    cbsa_code: str | float | bool | None
    elevation_m: str | float | bool | None
    fema_flood_zone: str | float | bool | None
    within_floodplain: str | float | bool | None
    coastal_high_hazard: str | float | bool | None
    in_opportunity_zone: str | float | bool | None
    opportunity_zone_tract_geoid: str | float | bool | None
    timezone: str | float | bool | None
    county_market: LookupResponse1CountyMarket
    context_failures: list[LookupResponse1ContextFailuresItem]

class LookupResponse2CandidatesItem(TypedDict):
    resolved_address: str
    lat: float
    lng: float
    confidence: float
    match_method: str
    accuracy_type: str

class LookupResponse2(TypedDict):
    disposition: Literal["clarify"]
    fetched_at: str
    hint: str
    candidates: list[LookupResponse2CandidatesItem]

class LookupResponse3CandidatesItem(TypedDict):
    resolved_address: str
    lat: float
    lng: float
    confidence: float
    match_method: str
    accuracy_type: str

class LookupResponse3(TypedDict):
    disposition: Literal["no_match"]
    fetched_at: str
    reason: Literal["apn_not_supported_in_v1", "address_not_found", "wrong_locality", "address_too_coarse", "address_outside_us", "address_form_unsupported"]
    hint: str
    candidates: NotRequired[list[LookupResponse3CandidatesItem]]

LookupResponse: TypeAlias = "LookupResponse1 | LookupResponse2 | LookupResponse3"

class AskRequest(TypedDict):
    question: str
    lat: NotRequired[float]
    lng: NotRequired[float]
    address: NotRequired[str]
    units: NotRequired[Literal["us", "metric"]]
    include_trace: NotRequired[bool]

class AskResponseCitationsItem(TypedDict):
    id: int
    source: str
    source_name: str
    source_url: str
    fields: list[str]
    dataset_vintage: str | None
    fetched_at: str
    confidence: Literal["high", "medium", "low"]

class AskResponseDataGapsItem(TypedDict):
    field: str
    reason: str

class AskResponseResolvedLocation(TypedDict):
    lat: float
    lng: float
    source: Literal["coordinate", "address"]

class AskResponseNamedPlacesItem(TypedDict):
    name: str
    lat: float
    lng: float
    fields: dict[str, FieldResult]

class AskResponseTraceLatencyMs(TypedDict):
    planner_ms: int
    fetch_ms: int
    synth_ms: int
    total_ms: int

class AskResponseTrace(TypedDict):
    planner_model: str
    synthesizer_model: str
    planner_reasoning: str
    fields_requested: list[str]
    preset_expanded: str | None
    latency_ms: AskResponseTraceLatencyMs
    cache_creation_input_tokens: int
    cache_read_input_tokens: int

class AskResponse(TypedDict):
    lat: float
    lng: float
    question: str
    answered_at: str
    fetched_at: str
    answer: str
    confidence: Literal["high", "medium", "low"]
    citations: list[AskResponseCitationsItem]
    fields_used: list[str]
    data_gaps: list[AskResponseDataGapsItem]
    fields: dict[str, FieldResult]
    resolved_location: AskResponseResolvedLocation
    geocode: NotRequired[GeocodeSummary]
    named_places: NotRequired[list[AskResponseNamedPlacesItem]]
    trace: NotRequired[AskResponseTrace]

class RunsRequestRequestLocationsItem(TypedDict):
    lat: NotRequired[float]
    lng: NotRequired[float]
    address: NotRequired[str]

class RunsRequestRequestAreasItemGeometry(TypedDict):
    type: Literal["Polygon", "MultiPolygon", "LineString", "MultiLineString"]
    coordinates: list[list[float | Any]]

class RunsRequestRequestAreasItemAround(TypedDict):
    lat: float
    lng: float
    radius_m: float

class RunsRequestRequestAreasItemCorridorLine(TypedDict):
    type: Literal["LineString", "MultiLineString"]
    coordinates: list[list[float | Any]]

class RunsRequestRequestAreasItemCorridor(TypedDict):
    line: RunsRequestRequestAreasItemCorridorLine
    width_m: float

class RunsRequestRequestAreasItemParcelOf(TypedDict):
    lat: NotRequired[float]
    lng: NotRequired[float]
    address: NotRequired[str]

class RunsRequestRequestAreasItem(TypedDict):
    geometry: NotRequired[RunsRequestRequestAreasItemGeometry]
    around: NotRequired[RunsRequestRequestAreasItemAround]
    corridor: NotRequired[RunsRequestRequestAreasItemCorridor]
    county_fips: NotRequired[str]
    parcel_of: NotRequired[RunsRequestRequestAreasItemParcelOf]

class RunsRequestRequest(TypedDict):
    locations: NotRequired[list[RunsRequestRequestLocationsItem]]
    areas: NotRequired[list[RunsRequestRequestAreasItem]]
    inputs: NotRequired[list[str]]
    fields: NotRequired[list[str]]
    preset: NotRequired[str]
    on_unknown: NotRequired[Literal["reject", "skip"]]
    include_parcel: NotRequired[bool]

class RunsRequest(TypedDict):
    kind: str
    name: NotRequired[str]
    request: RunsRequestRequest

class RunsResponseProgress(TypedDict):
    total: int
    done: int
    ok: int
    failed: int

class RunsResponseValues2(TypedDict):
    total: int
    failed: int

class RunsResponseLinks(TypedDict):
    self: str
    events: str
    results: str
    csv: str
    geojson: str
    parquet: str
    ndjson: str
    xlsx: str
    gpkg: str
    cancel: str
    retry: str

class RunsResponseResult2(TypedDict):
    fetched_at: str
    results: list[RunsResultsItemResponse]

class RunsResponse(TypedDict):
    run_id: str
    name: None | str
    kind: Literal["fetch_batch", "geocode_batch", "lookup_batch", "area_batch"]
    status: Literal["queued", "running", "done", "cancelled", "failed"]
    created_at: str
    started_at: str | None
    finished_at: str | None
    updated_at: str
    expires_at: str
    progress: RunsResponseProgress
    values: None | RunsResponseValues2
    catalog_version: str
    retry_of: str | None
    retryable_locations: int
    error: None | ErrorDetail
    poll: str
    events: str
    links: RunsResponseLinks
    request: dict[str, Any]
    result: None | RunsResponseResult2

class GetRunsResponse(TypedDict):
    items: list[RunsCancelResponse]
    next_cursor: str | None

RunsItemResponse: TypeAlias = "RunsResponse | RunsCancelResponse"

class RunsResultsResponse(TypedDict):
    items: list[RunsResultsItemResponse]
    next_cursor: str | None

class RunsResultsItemResponse(TypedDict):
    index: int
    ok: bool

class RunsArtifactsReportResponseLocations(TypedDict):
    total: int
    ok: int
    failed: int

class RunsArtifactsReportResponseValues(TypedDict):
    total: int
    ok: int
    absent: int
    failed: int

class RunsArtifactsReportResponseLocationErrorsItem(TypedDict):
    error: str
    message: str
    retryable: bool
    locations: int
    first_index: int

class RunsArtifactsReportResponseFieldErrorsItem(TypedDict):
    error: str
    source: str | None
    message: str
    retryable: bool
    fields: list[str]
    values: int

class RunsArtifactsReportResponse(TypedDict):
    locations: RunsArtifactsReportResponseLocations
    values: RunsArtifactsReportResponseValues
    value_counts: NotRequired[dict[str, dict[str, int]]]
    uncovered_locations: int
    location_errors: list[RunsArtifactsReportResponseLocationErrorsItem]
    field_errors: list[RunsArtifactsReportResponseFieldErrorsItem]

class RunsCancelResponseProgress(TypedDict):
    total: int
    done: int
    ok: int
    failed: int

class RunsCancelResponseValues2(TypedDict):
    total: int
    failed: int

class RunsCancelResponseLinks(TypedDict):
    self: str
    events: str
    results: str
    csv: str
    geojson: str
    parquet: str
    ndjson: str
    xlsx: str
    gpkg: str
    cancel: str
    retry: str

class RunsCancelResponse(TypedDict):
    run_id: str
    name: None | str
    kind: Literal["fetch_batch", "geocode_batch", "lookup_batch", "area_batch"]
    status: Literal["queued", "running", "done", "cancelled", "failed"]
    created_at: str
    started_at: str | None
    finished_at: str | None
    updated_at: str
    expires_at: str
    progress: RunsCancelResponseProgress
    values: None | RunsCancelResponseValues2
    catalog_version: str
    retry_of: str | None
    retryable_locations: int
    error: None | ErrorDetail
    poll: str
    events: str
    links: RunsCancelResponseLinks

class RunsRetryRequestCorrectionsItem(TypedDict):
    index: int
    lat: NotRequired[float]
    lng: NotRequired[float]
    address: NotRequired[str]
    input: NotRequired[str]

class RunsRetryRequest(TypedDict):
    corrections: NotRequired[list[RunsRetryRequestCorrectionsItem]]

class UsersMeResponseUser(TypedDict):
    uid: str
    email: str | None
    name: str

class UsersMeResponse(TypedDict):
    id: str
    name: str
    scopes: list[Literal["fetch", "geocode", "lookup", "parcel", "ask", "runs", "admin"]]
    user: UsersMeResponseUser
    settings: dict[str, Any]
    csrf_token: NotRequired[str]

class UsersMeTokensResponseItemsItem(TypedDict):
    id: str
    name: str
    last_four: str
    scopes: list[Literal["fetch", "geocode", "lookup", "parcel", "ask", "runs", "admin"]]
    created_at: str
    expires_at: str | None
    last_used_at: str | None

class UsersMeTokensResponse(TypedDict):
    items: list[UsersMeTokensResponseItemsItem]
    next_cursor: str | None

class UsersMeTokensRequest(TypedDict):
    name: str
    scopes: list[Literal["fetch", "geocode", "lookup", "parcel", "ask", "runs", "admin"]]
    expires_in_days: NotRequired[Literal["never"] | int]

class PostUsersMeTokensResponse(TypedDict):
    id: str
    name: str
    last_four: str
    scopes: list[Literal["fetch", "geocode", "lookup", "parcel", "ask", "runs", "admin"]]
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    token: str

class UsersMeUsageResponseItemsItemSourcesItem(TypedDict):
    source: str
    requests: int
    fields: int
    metered_calls: int

class UsersMeUsageResponseItemsItem(TypedDict):
    day: str
    endpoint: str
    requests: int
    fields: int
    metered_calls: int
    sources: list[UsersMeUsageResponseItemsItemSourcesItem]

UsersMeUsageResponse = TypedDict("UsersMeUsageResponse", {"from": "str", "to": "str", "items": "list[UsersMeUsageResponseItemsItem]", "next_cursor": "str | None"})

class UsersMeLoginsResponseItemsItem(TypedDict):
    id: str
    client_id: str
    client_name: str
    scopes: list[str]
    resource: str
    created_at: str

class UsersMeLoginsResponse(TypedDict):
    items: list[UsersMeLoginsResponseItemsItem]
    next_cursor: str | None

class UsersMeSessionsResponseItemsItem(TypedDict):
    created_at: str
    expires_at: str
    is_current: bool

class UsersMeSessionsResponse(TypedDict):
    items: list[UsersMeSessionsResponseItemsItem]
    next_cursor: str | None

class UsersMeSharesResponseItemsItem(TypedDict):
    id: str
    kind: Literal["run", "report"]
    title: str
    run_id: str | None
    created_at: str
    expires_at: str

class UsersMeSharesResponse(TypedDict):
    items: list[UsersMeSharesResponseItemsItem]
    next_cursor: str | None

class UsersMeSharesRequest(TypedDict):
    run_id: NotRequired[str]
    report: NotRequired[str]
    expires_in_days: NotRequired[int]

class PostUsersMeSharesResponse(TypedDict):
    id: str
    kind: Literal["run", "report"]
    title: str
    run_id: str | None
    created_at: str
    expires_at: str
    url: str

class UsersMePinsResponse(TypedDict):
    items: list[PostUsersMePinsResponse]
    next_cursor: str | None

class UsersMePinsRequestPlace(TypedDict):
    lat: float
    lng: float

class UsersMePinsRequest(TypedDict):
    name: str
    place: NotRequired[UsersMePinsRequestPlace]
    preset: NotRequired[str]
    fields: NotRequired[list[str]]

class PostUsersMePinsResponsePlace1(TypedDict):
    lat: float
    lng: float

class PostUsersMePinsResponse(TypedDict):
    id: str
    name: str
    place: PostUsersMePinsResponsePlace1 | None
    preset: str | None
    fields: list[str] | None
    created_at: str

class UsersResponseItemsItem(TypedDict):
    id: str
    name: str
    scopes: list[Literal["fetch", "geocode", "lookup", "parcel", "ask", "runs", "admin"]]
    created_at: str
    has_password: bool

class UsersResponse(TypedDict):
    items: list[UsersResponseItemsItem]
    next_cursor: str | None

class UsersRequest(TypedDict):
    name: str
    scopes: NotRequired[list[Literal["fetch", "geocode", "lookup", "parcel", "ask", "runs", "admin"]]]

class PostUsersResponse(TypedDict):
    id: str
    name: str
    scopes: list[Literal["fetch", "geocode", "lookup", "parcel", "ask", "runs", "admin"]]
    created_at: str
    has_password: bool
    invitation_url: str
    invitation_expires_at: str

McpDeviceStartRequest: TypeAlias = "dict[str, Any]"

class McpDeviceStartResponse(TypedDict):
    verification_uri: str
    verification_uri_complete: str
    user_code: str
    device_code: str
    interval: int
    expires_in: int

class McpDevicePollRequest(TypedDict):
    device_code: str

class McpDevicePollResponse(TypedDict):
    status: Literal["pending", "approved", "denied", "expired"]
    token: str | None
    token_id: str | None
    refresh_token: str | None
    expires_in: int | None

class ProximityRequestOrigin2(TypedDict):
    lat: NotRequired[float]
    lng: NotRequired[float]
    address: NotRequired[str]

class ProximityRequestDestination2(TypedDict):
    lat: NotRequired[float]
    lng: NotRequired[float]
    address: NotRequired[str]

class ProximityRequest(TypedDict):
    op: Literal["nearest", "distance"]
    origin: str | ProximityRequestOrigin2
    destination: NotRequired[str | ProximityRequestDestination2]
    set: NotRequired[str]
    n: NotRequired[int]
    mode: NotRequired[Literal["straightline", "driving"]]

class ProximityResponse1Origin(TypedDict):
    query: str
    lat: float
    lng: float
    formatted_address: str | None
    accuracy_type: str | None
    accuracy: float | None
    error: str | None

class ProximityResponse1CandidatesItem(TypedDict):
    name: str
    lat: float
    lng: float
    attributes: dict[str, str | float | bool | None]
    distance_miles: float
    distance_km: float
    duration_seconds: str | None
    duration_minutes: str | None

class ProximityResponse1(TypedDict):
    op: Literal["nearest"]
    origin: ProximityResponse1Origin
    applied_filters: str | None
    paid_driving_calcs: int
    credits_charged: int
    notes: list[str]
    candidates: list[ProximityResponse1CandidatesItem]

class ProximityResponse2Origin(TypedDict):
    query: str
    lat: float
    lng: float
    formatted_address: str | None
    accuracy_type: str | None
    accuracy: float | None
    error: str | None

class ProximityResponse2Destination(TypedDict):
    query: str
    lat: float
    lng: float
    formatted_address: str | None
    accuracy_type: str | None
    accuracy: float | None
    error: str | None

class ProximityResponse2(TypedDict):
    op: Literal["distance"]
    origin: ProximityResponse2Origin
    applied_filters: str | None
    paid_driving_calcs: int
    credits_charged: int
    notes: list[str]
    destination: ProximityResponse2Destination
    distance_miles: float
    distance_km: float
    duration_seconds: str | None
    duration_minutes: str | None

ProximityResponse: TypeAlias = "ProximityResponse1 | ProximityResponse2"

class PacksPlanRequest(TypedDict):
    area: str
    presets: list[str]
    between: NotRequired[str]

class PacksPlanResponseDatasetsItem(TypedDict):
    dataset: str
    title: str
    license: str
    fields: list[str]
    how: Literal["built_in", "file", "service", "impossible"]
    requests: int | None
    bytes: float | None
    seconds: float | None
    reason: str | None

class PacksPlanResponse(TypedDict):
    area: str
    datasets: list[PacksPlanResponseDatasetsItem]

class PacksFetchAcceptedDatasetsItem(TypedDict):
    dataset: str
    title: str
    state: Literal["waiting", "running", "done", "failed"]
    done: float
    requests: int
    features: int
    bytes: int
    message: str | None

class PacksFetchAccepted(TypedDict):
    status: Literal["running", "succeeded", "failed", "cancelled"]
    area: str
    presets: list[str]
    between: NotRequired[str]
    started_at: str
    finished_at: str | None
    datasets: list[PacksFetchAcceptedDatasetsItem]
    answered: int | None
    fields: int | None
    message: str | None

class PacksFetchResponse(TypedDict):
    fetch: None | PacksFetchAccepted

class TilesResponse(TypedDict):
    items: list[TilesItemResponse]
    basemap: TilesItemResponse | None
    basemap_error: str | None

class TilesItemResponseVectorLayersItem(TypedDict):
    id: str
    fields: dict[str, str]

class TilesItemResponseColoredFieldsItemClassesItem(TypedDict):
    value: str
    text: str

class TilesItemResponseColoredFieldsItemNumbers1(TypedDict):
    unit: str | None
    no_value: list[float]

class TilesItemResponseColoredFieldsItem(TypedDict):
    name: str
    attribute: str
    classes: list[TilesItemResponseColoredFieldsItemClassesItem]
    numbers: TilesItemResponseColoredFieldsItemNumbers1 | None

class TilesItemResponse(TypedDict):
    tilejson: Literal["3.0.0"]
    id: str
    name: str
    attribution: str
    vintage: str | None
    tiles: list[str]
    minzoom: int
    maxzoom: int
    bounds: list[float]
    vector_layers: list[TilesItemResponseVectorLayersItem]
    colored_fields: list[TilesItemResponseColoredFieldsItem]

class OgcResponseLinksItem(TypedDict):
    href: str
    rel: str
    type: NotRequired[str]
    title: NotRequired[str]

class OgcResponse(TypedDict):
    title: str
    description: str
    links: list[OgcResponseLinksItem]

class OgcConformanceResponse(TypedDict):
    conformsTo: list[str]

class OgcCollectionsResponseLinksItem(TypedDict):
    href: str
    rel: str
    type: NotRequired[str]
    title: NotRequired[str]

class OgcCollectionsResponse(TypedDict):
    collections: list[OgcCollectionsItemResponse]
    links: list[OgcCollectionsResponseLinksItem]

class OgcCollectionsItemResponseExtentSpatial(TypedDict):
    bbox: list[list[float]]
    crs: str

class OgcCollectionsItemResponseExtent(TypedDict):
    spatial: OgcCollectionsItemResponseExtentSpatial

class OgcCollectionsItemResponseLinksItem(TypedDict):
    href: str
    rel: str
    type: NotRequired[str]
    title: NotRequired[str]

class OgcCollectionsItemResponse(TypedDict):
    id: str
    title: str
    attribution: str
    vintage: str | None
    itemType: Literal["feature"]
    crs: list[str]
    extent: OgcCollectionsItemResponseExtent
    links: list[OgcCollectionsItemResponseLinksItem]

class EdrCollectionsResponseLinksItem(TypedDict):
    href: str
    rel: str
    type: NotRequired[str]
    title: NotRequired[str]

class EdrCollectionsResponse(TypedDict):
    collections: list[EdrCollectionsItemResponse]
    links: list[EdrCollectionsResponseLinksItem]

class EdrCollectionsItemResponseLinksItem(TypedDict):
    href: str
    rel: str
    type: NotRequired[str]
    title: NotRequired[str]

class EdrCollectionsItemResponseExtentSpatial(TypedDict):
    bbox: list[list[float]]
    crs: str

class EdrCollectionsItemResponseExtent(TypedDict):
    spatial: EdrCollectionsItemResponseExtentSpatial

class EdrCollectionsItemResponseDataQueriesValueLinkVariablesCrsDetailsItem(TypedDict):
    crs: str
    wkt: str

class EdrCollectionsItemResponseDataQueriesValueLinkVariables(TypedDict):
    title: str
    query_type: str
    output_formats: list[str]
    default_output_format: str
    crs_details: list[EdrCollectionsItemResponseDataQueriesValueLinkVariablesCrsDetailsItem]
    within_units: NotRequired[list[str]]

class EdrCollectionsItemResponseDataQueriesValueLink(TypedDict):
    href: str
    rel: str
    type: NotRequired[str]
    title: NotRequired[str]
    variables: EdrCollectionsItemResponseDataQueriesValueLinkVariables

class EdrCollectionsItemResponseDataQueriesValue(TypedDict):
    link: EdrCollectionsItemResponseDataQueriesValueLink

class EdrCollectionsItemResponse(TypedDict):
    id: str
    title: str
    description: str
    links: list[EdrCollectionsItemResponseLinksItem]
    extent: EdrCollectionsItemResponseExtent
    data_queries: dict[str, EdrCollectionsItemResponseDataQueriesValue]
    crs: list[str]
    output_formats: list[str]
    parameter_names: dict[str, dict[str, Any]]
