/**
 * How many cases a long random run takes: a few in `npm test`, all of them in the nightly run, which sets TEST_LONG=1.
 */
export function longRun(short: number, long: number): number {
  return process.env['TEST_LONG'] === '1' ? long : short
}
