import { benchHttp } from './http-bench.ts'

/** `npm run bench` measures ours against the bare engines in one run; `-- --quick` takes fewer rounds. */
const quick = process.argv.includes('--quick')
const lines = await benchHttp(quick ? 3 : 7, quick ? 2 : 4)
console.log('| Route | requests/s | of bare | p50 ms | p99 ms | CPU µs |\n|---|---|---|---|---|---|')
for (const { name, rps, ratio, p50_ms, p99_ms, cpu_us } of lines) {
  console.log(
    `| ${name} | ${rps.toFixed(0)} | ${ratio.toFixed(2)} | ${p50_ms.toFixed(1)} | ${p99_ms.toFixed(1)} | ${cpu_us.toFixed(0)} |`,
  )
}
