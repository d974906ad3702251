/* Browsers start no worker on a page that was opened from a disk, and the search runs in one. There, and only there, a frame
   that nobody sees takes the worker's place: it loads the same script, and messages go back and forth. */
if (location.protocol === "file:") {
  class IFrameWorker extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = null;
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "search";
      document.body.append(frame);
      this.inside = frame.contentWindow;
      const script = frame.contentDocument.createElement("script");
      const worker = this;
      // The script says `postMessage(answer)`, as in a worker; in a window that would be a message to itself.
      this.inside.postMessage = (data) => {
        const event = new MessageEvent("message", { data });
        worker.dispatchEvent(event);
        if (worker.onmessage) worker.onmessage(event);
      };
      this.inside.importScripts = async (...urls) => {
        for (const each of urls) {
          await new Promise((done, failed) => {
            const part = frame.contentDocument.createElement("script");
            part.src = each;
            part.onload = done;
            part.onerror = failed;
            frame.contentDocument.body.append(part);
          });
        }
      };
      script.src = url;
      script.onload = () => {
        const waiting = this.waiting;
        this.waiting = null;
        waiting.forEach((data) => this.hand(data));
      };
      frame.contentDocument.body.append(script);
    }

    hand(data) {
      this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data }));
    }

    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.hand(data);
    }

    terminate() {}
  }
  window.IFrameWorker = IFrameWorker;
  window.Worker = IFrameWorker;
}
