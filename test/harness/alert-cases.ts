/** Input series by name and labels, in promtool's notation: a sample a minute, `first+step x count`. */
type SeriesOf = Readonly<Record<string, string>>;

/** When an alert fires after an hour and a half, and when it does not. */
export interface AlertCase {
  readonly firing: SeriesOf;
  readonly quiet: SeriesOf | readonly SeriesOf[];
}

const rises = '0+60x90';
const rests = '0+0x90';
const is = (value: number): string => `${value}+0x90`;
const counter = (name: string): AlertCase => ({ firing: { [name]: rises }, quiet: { [name]: rests } });
const gauge = (name: string, firing: number, quiet: number): AlertCase => ({
  firing: { [name]: is(firing) },
  quiet: { [name]: is(quiet) },
});

const request = (status: number) => `http_server_request_duration_seconds_count{http_response_status_code="${status}"}`;
const errors: AlertCase = {
  firing: { [request(200)]: rises, [request(503)]: rises },
  quiet: { [request(200)]: rises, [request(429)]: rises, [request(503)]: rests },
};
const within = (le: string) => `http_server_request_duration_seconds_bucket{http_route="/v1/ingest",le="${le}"}`;
const run = (state: string) => `weir_ingestion_runs_completed_total{weir_run_state="${state}"}`;
const size = 'weir_ingestion_stream_size_bytes';
const sizeMax = 'weir_ingestion_stream_size_max_bytes';
const marks = (lane: string) => `weir_processor_marks{weir_lane="${lane}"}`;
const computed = (lane: string) => `weir_processor_computed_instants_total{weir_lane="${lane}"}`;
const swept = 'weir_ingestion_batches_swept_total';
const publishFailed = 'weir_ingestion_batches_publish_failed_total{weir_lane="live"}';
const oldest = 'weir_ingestion_backlog_oldest_age_seconds';

/** Cases by the name of the alert. */
export const alertCases: Readonly<Record<string, AlertCase>> = {
  WeirErrorBudgetBurnsFast: errors,
  WeirErrorBudgetBurnsSlowly: errors,
  WeirRequestsSlow: {
    firing: { [within('2.5')]: '0+90x90', [within('5')]: '0+100x90', [within('+Inf')]: '0+100x90' },
    quiet: { [within('0.1')]: rises, [within('2.5')]: rises, [within('+Inf')]: rises },
  },
  WeirAbsent: { firing: { up: is(0) }, quiet: { weir_process_ready: is(1) } },
  WeirProcessNotReady: gauge('weir_process_ready{pod="weir-access-1"}', 0, 1),
  WeirRunsDelayed: gauge(oldest, 90, 5),
  WeirRunsStuck: gauge(oldest, 900, 90),
  WeirNothingProcessed: {
    firing: { weir_ingestion_runs_admitted_total: rises, [run('succeeded')]: rests },
    quiet: { weir_ingestion_runs_admitted_total: rises, [run('succeeded')]: rises },
  },
  WeirRunsFail: {
    firing: { [run('succeeded')]: rises, [run('failed')]: '0+6x90' },
    quiet: { [run('succeeded')]: rises, [run('failed')]: '0+1x90' },
  },
  WeirAdmissionRefused: counter('weir_ingestion_calls_unavailable_total'),
  WeirBacklogFull: gauge('weir_ingestion_backlog_full', 1, 0),
  WeirStreamAway: gauge('weir_ingestion_stream_connected', 0, 1),
  WeirStreamRefuses: counter(publishFailed),
  WeirStreamFull: {
    firing: { [size]: is(900), [sizeMax]: is(1000) },
    quiet: { [size]: is(700), [sizeMax]: is(1000) },
  },
  WeirStreamLoses: {
    firing: { [swept]: rises, [publishFailed]: rests, [oldest]: is(20) },
    quiet: [
      { [swept]: rises, [publishFailed]: rises, [oldest]: is(20) },
      // a long backlog is swept though the stream has it
      { [swept]: rises, [publishFailed]: rests, [oldest]: is(300) },
    ],
  },
  WeirMessagesRetried: counter('weir_processor_messages_retried_total'),
  WeirBatchGivenUp: counter('weir_processor_batches_given_up_total'),
  WeirComputingGivenUp: counter('weir_processor_computing_failed_total{weir_result="given_up"}'),
  WeirCalculationsStand: {
    firing: { [marks('live')]: is(7), [computed('live')]: rests, [computed('recalculation')]: rises },
    quiet: { [marks('live')]: is(7), [computed('live')]: rises },
  },
  WeirRecalculationsStand: {
    firing: { [marks('recalculation')]: is(7), [computed('recalculation')]: rests },
    quiet: { [marks('recalculation')]: is(7), [computed('recalculation')]: rises },
  },
  WeirBackgroundFails: {
    firing: { 'weir_process_loop_failing{weir_loop="retention"}': is(1) },
    quiet: [
      // a round that succeeds now and then
      { 'weir_process_loop_failing{weir_loop="retention"}': '1+0x50 0+0x5 1+0x34' },
      // one failure of each of two processes
      {
        'weir_process_loop_failing{weir_loop="retention",pod="a"}': '1+0x50 0+0x40',
        'weir_process_loop_failing{weir_loop="retention",pod="b"}': '0+0x40 1+0x50',
      },
    ],
  },
  WeirDatabasePoolExhausted: gauge('db_client_connection_pending_requests', 3, 0),
  WeirEventLoopBlocked: gauge('nodejs_eventloop_delay_p99_seconds', 0.8, 0.02),
  WeirLimitsDegraded: gauge('weir_gateway_limits_degraded', 1, 0),
  WeirCredentialsGuessed: {
    firing: { 'weir_gateway_limits_refused_total{weir_limit="failed_credentials"}': '0+120x90' },
    quiet: { 'weir_gateway_limits_refused_total{weir_limit="rate"}': '0+120x90' },
  },
  WeirCertificateExpires: gauge('weir_process_certificate_expiry_seconds', 500_000, 2_000_000_000),
  WeirTracesLost: counter('otel_sdk_processor_span_processed_total{error_type="queue_full"}'),
};
