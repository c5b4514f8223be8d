// V8 in Node: each candidate is compiled, instantiated and called. usage: v8_peer.mjs JOB PETRI_DEV FOLDER THREADS
// Speaks as peer.py does. With one thread the main one works; with more, each has a part of the batch.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';

const points = Array.from({ length: 20 }, (_, x) => x);
const targets = points.map((x) => x + x * x + x * x * x + x * x * x * x);
const markerValue = 1234567.890625; // in candidate.wat

// The same candidates as those of job.py.
function candidates({ job, petriDev, template }, first, count) {
  return job === 'straight' ? straight(Buffer.from(template), first, count) : mixed(petriDev, first, count);
}

function mixed(petriDev, first, count) {
  const lines = execFileSync(petriDev, ['candidates', String(first), String(count)], { encoding: 'utf8', maxBuffer: 2 ** 30 });
  return lines.trimEnd().split('\n').map((line) => Buffer.from(JSON.parse(line).wasm, 'hex'));
}

function straight(template, first, count) {
  const marker = Buffer.alloc(8);
  marker.writeDoubleLE(markerValue);
  const place = template.indexOf(marker);
  return Array.from({ length: count }, (_, i) => {
    const bytes = Buffer.from(template);
    bytes.writeDoubleLE(1 + (first + i) * 2 ** -30, place);
    return bytes;
  });
}

function evaluate(all) {
  return all.map((bytes) => {
    const { f } = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
    let total = 0;
    for (let i = 0; i < points.length; i++) {
      const error = f(points[i]) - targets[i];
      total += error * error;
    }
    return total;
  });
}

function say(answer) {
  process.stdout.write(JSON.stringify(answer) + '\n');
}

// A thread of its own: made ready by the first message, set off by the second.
function work() {
  let ready = [];
  parentPort.on('message', ({ first, count }) => {
    if (count !== undefined) {
      ready = candidates(workerData, first, count);
      parentPort.postMessage('ready');
    } else {
      parentPort.postMessage(evaluate(ready));
    }
  });
}

function ask(worker, message) {
  return new Promise((resolve) => {
    worker.once('message', resolve);
    worker.postMessage(message);
  });
}

async function measure(workers, source, first, count) {
  if (workers.length === 0) {
    const all = candidates(source, first, count);
    const start = performance.now();
    const scores = evaluate(all);
    return { seconds: (performance.now() - start) / 1000, scores };
  }
  const part = count / workers.length;
  await Promise.all(workers.map((worker, i) => ask(worker, { first: first + i * part, count: part })));
  const start = performance.now();
  const scores = await Promise.all(workers.map((worker) => ask(worker, {})));
  return { seconds: (performance.now() - start) / 1000, scores: scores.flat() };
}

async function main() {
  const [job, petriDev, folder, threads] = process.argv.slice(2);
  const source = { job, petriDev, template: readFileSync(`${folder}/candidate.wasm`) };
  const spread = Number(threads) > 1;
  const workers = spread ? Array.from({ length: Number(threads) }, () => new Worker(new URL(import.meta.url), { workerData: source })) : [];
  await measure(workers, source, 0, 100);
  say({ ready: true, version: `V8 in Node ${process.versions.node}`, holds: [] });
  for await (const line of createInterface({ input: process.stdin })) {
    const [first, count] = line.split(' ').map(Number);
    say(await measure(workers, source, first, count));
  }
  await Promise.all(workers.map((worker) => worker.terminate()));
}

if (isMainThread) await main();
else work();
